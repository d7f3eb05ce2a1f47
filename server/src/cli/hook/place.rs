//! Where things are on the machine of a user: the settings of a client's hooks, and what the hooks keep for themselves.

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use store::private;

use super::client::Client;
use crate::config::{PublicUrl, Secret};

/// The address that is meant where none is given.
pub const DEFAULT_URL: &str = "http://127.0.0.1:3000";
/// What stands in the name of a file that is being written, before the process that does.
pub const HALF_WRITTEN: &str = ".keepsake-";

/// The folders of a person.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Their home.
    pub home: PathBuf,
    /// Where programs keep settings.
    config: PathBuf,
    /// Where programs keep what they may lose.
    state: PathBuf,
    /// Claude Code's.
    pub claude: PathBuf,
    /// Codex's.
    pub codex: PathBuf,
}

impl Folders {
    /// Those of whoever runs this process.
    ///
    /// # Errors
    /// There is no home.
    pub fn find() -> Result<Self> {
        let home = env::home_dir().filter(|home| home.is_absolute());
        let home = home.context("there is no home folder: set HOME")?;
        let or = |variable: &str, default: &str| {
            let given = env::var_os(variable).map(PathBuf::from);
            given
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| home.join(default))
        };
        Ok(Self {
            config: or("XDG_CONFIG_HOME", ".config").join("keepsake"),
            state: or("XDG_STATE_HOME", ".local/state").join("keepsake/hook"),
            claude: or("CLAUDE_CONFIG_DIR", ".claude"),
            codex: or("CODEX_HOME", ".codex"),
            home,
        })
    }

    /// The settings of a client's hooks.
    pub fn settings(&self, client: Client) -> PathBuf {
        self.config.join(format!("hook-{}.toml", client.name()))
    }

    /// What a client's hooks keep.
    pub fn state(&self, client: Client) -> PathBuf {
        self.state.join(client.name())
    }
}

/// Which Keepsake, with which key, about whom.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Scheme, host and port.
    pub url: String,
    /// Who the agent talks to.
    pub user_id: String,
    /// The key, which names the agent.
    pub api_key: Secret,
}

/// As `install` writes them.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    url: String,
    user_id: String,
    api_key: Secret,
}

impl Default for Written {
    fn default() -> Self {
        Self {
            url: String::new(),
            user_id: String::new(),
            api_key: String::new().into(),
        }
    }
}

impl Settings {
    /// What was given, else the environment, else the file, else the defaults. The key may be absent: that of the file goes to the
    /// address of the file and to no other one, which whoever wrote the settings of a folder could have named.
    ///
    /// # Errors
    /// The file can be read by others or has not the form; the address is none that a key may be sent to; nobody is named.
    pub fn find(file: &Path, url: Option<&str>, user_id: Option<&str>) -> Result<Self> {
        Self::found(file, url, user_id, |name| env::var(name).ok())
    }

    fn found(
        file: &Path,
        url: Option<&str>,
        user_id: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let written = read(file)?;
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let filled = |text: String| Some(text).filter(|text| !text.is_empty());
        let own = filled(written.url).unwrap_or_else(|| DEFAULT_URL.to_owned());
        let given = url.map(str::to_owned).or_else(|| variable("KEEPSAKE_URL"));
        let url = checked(given.as_deref().unwrap_or(&own))?;
        let is_own = checked(&own).is_ok_and(|own| own == url);
        let user_id = user_id
            .map(str::to_owned)
            .or_else(|| filled(written.user_id))
            .or_else(|| {
                ["USER", "LOGNAME", "USERNAME"]
                    .into_iter()
                    .find_map(&variable)
            })
            .context("nobody knows who you are: give --user-id")?;
        domain::user::Scope::user_id(&user_id).context("--user-id")?;
        Ok(Self {
            url,
            user_id,
            api_key: match variable("KEEPSAKE_API_KEY") {
                Some(key) => key.into(),
                None if is_own => written.api_key,
                None => String::new().into(),
            },
        })
    }

    /// A name for the Keepsake and the key: what one of them was to hear no other may be told.
    pub fn destination(&self) -> String {
        let both = format!("{}\n{}", self.url, self.api_key.reveal());
        domain::audit::hex(&Sha256::digest(both)[..8])
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut table = toml::Table::new();
        for (name, value) in [
            ("url", self.url.as_str()),
            ("user_id", self.user_id.as_str()),
            ("api_key", self.api_key.reveal()),
        ] {
            table.insert(name.to_owned(), toml::Value::from(value));
        }
        table.to_string()
    }
}

fn read(file: &Path) -> Result<Written> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Written::default()),
        text => text.with_context(|| format!("read {}", file.display()))?,
    };
    if is_open(file)? {
        bail!("{}: others can read it; `chmod 600` it", file.display());
    }
    // What is in it stays out of the message.
    toml::from_str(&text)
        .map_err(|_| anyhow::anyhow!("{} is not as `install` writes it", file.display()))
}

/// The origin of an address, where words and a key may be sent to: over https, or to this very machine.
fn checked(url: &str) -> Result<String> {
    let parsed = PublicUrl::new(url, ([127, 0, 0, 1], 3000).into()).ok();
    match parsed.filter(PublicUrl::takes_sign_in) {
        Some(url) => Ok(url.origin()),
        None => bail!(
            "\"{url}\" is no address of a Keepsake: it is https:// and a host, or http:// on this machine, without a path"
        ),
    }
}

#[cfg(unix)]
fn is_open(file: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(file)?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Makes a folder that only its owner can look into.
///
/// # Errors
/// The file system refuses.
pub fn private_folder(path: &Path) -> io::Result<()> {
    private::make_folder(path)
}

/// Opens a file for its owner alone, making it where it is not there.
///
/// # Errors
/// The file system refuses.
pub fn private_file(path: &Path, append: bool) -> io::Result<fs::File> {
    let mut options = private::options();
    options
        .create(true)
        .write(true)
        .append(append)
        .truncate(false);
    options.open(path)
}

/// Writes a file as a whole or not at all. One that is there keeps its permissions and, behind a link, its place; a new one is its
/// owner's alone.
///
/// # Errors
/// The file system refuses; the old file is as it was.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace_here(&path, text)
}

/// The same at this very path: a link there gives way to the file.
///
/// # Errors
/// As [`replace`].
pub fn replace_here(path: &Path, text: &str) -> io::Result<()> {
    let permissions = fs::metadata(path).ok().map(|old| old.permissions());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!("{HALF_WRITTEN}{}", std::process::id()));
    let beside = path.with_file_name(name);
    let written = (|| {
        let mut file = private_file(&beside, false)?;
        file.set_len(0)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Some(permissions) = permissions {
            fs::set_permissions(&beside, permissions)?;
        }
        fs::rename(&beside, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Removes a file that may not be there.
///
/// # Errors
/// It is there and stays.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_and_a_file_that_others_can_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("hook.toml");
        let settings = Settings {
            url: "https://keepsake.example".into(),
            user_id: "ana \"quoted\"\\".into(),
            api_key: "keep_live_x".to_owned().into(),
        };
        replace(&file, &settings.text()).unwrap();
        let written = read(&file).unwrap();
        assert_eq!(
            (written.url, written.user_id, written.api_key.reveal()),
            (settings.url, settings.user_id, "keep_live_x")
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
            let error = read(&file).unwrap_err().to_string();
            assert!(error.contains("chmod 600"), "{error}");
        }
    }

    #[test]
    fn the_stored_key_goes_to_the_address_that_it_was_stored_with() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("hook.toml");
        let stored = Settings {
            url: "https://keepsake.example".into(),
            user_id: "ana".into(),
            api_key: "stored".to_owned().into(),
        };
        replace(&file, &stored.text()).unwrap();
        let found = |url: Option<&str>, variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(there, _)| *there == name)?;
                Some(found.1.to_owned())
            };
            Settings::found(&file, url, None, variable).unwrap()
        };
        let other = "https://evil.example";
        let key = |settings: &Settings| settings.api_key.reveal().to_owned();
        for (url, variables, origin, sent) in [
            (None, &[][..], "https://keepsake.example", "stored"),
            (
                Some("https://keepsake.example/"),
                &[][..],
                "https://keepsake.example",
                "stored",
            ),
            (None, &[("KEEPSAKE_URL", other)][..], other, ""),
            (Some(other), &[][..], other, ""),
            (
                None,
                &[("KEEPSAKE_URL", other), ("KEEPSAKE_API_KEY", "theirs")][..],
                other,
                "theirs",
            ),
        ] {
            let settings = found(url, variables);
            assert_eq!(
                (settings.url.as_str(), key(&settings).as_str()),
                (origin, sent)
            );
        }
        let destinations = [
            found(None, &[]),
            found(None, &[("KEEPSAKE_API_KEY", "another")]),
            found(Some(other), &[("KEEPSAKE_API_KEY", "stored")]),
        ];
        let names = destinations.map(|settings| settings.destination());
        assert!(names[0] != names[1] && names[0] != names[2] && names[1] != names[2]);
        assert_eq!(found(None, &[]).destination(), names[0]);
    }

    #[test]
    fn a_key_goes_over_https_or_stays_on_this_machine() {
        assert_eq!(checked("https://k.example/").unwrap(), "https://k.example");
        assert_eq!(checked(DEFAULT_URL).unwrap(), DEFAULT_URL);
        for wrong in ["http://k.example", "https://k.example/app", "k.example"] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_in_its_place_and_keeps_its_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&real, &link).unwrap();
        replace(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            fs::metadata(&real).unwrap().permissions().mode() & 0o777,
            0o644
        );
        let new = dir.path().join("new");
        replace(&new, "new").unwrap();
        assert_eq!(
            fs::metadata(&new).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }
}
