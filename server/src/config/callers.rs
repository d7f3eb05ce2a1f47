//! Who may call: hosts by which they call us, and origins from which they do.

use serde::Deserialize;
use url::Url;

use super::public_url::with_port;

/// Hosts, with commas between them: `keepsake, 10.1.2.3:3000`. One without a port stands for every port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts(pub Vec<String>);

/// Origins, with commas between them: `https://tools.example`. Each with its port written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins(pub Vec<String>);

impl std::str::FromStr for Hosts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hosts = parts(text).map(|host| {
            let known = Url::parse(&format!("http://{host}"));
            match known {
                Ok(url) if is_origin(&url) && !host.contains(['*', '/']) => Ok(as_sent(&url, host)),
                _ => Err(format!(
                    "\"{host}\" is no host; write keepsake.example, 10.1.2.3 or [fd00::1], with :port or without"
                )),
            }
        });
        hosts.collect::<Result<_, _>>().map(Self)
    }
}

impl std::str::FromStr for Origins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let origins = parts(text).map(|origin| match Url::parse(origin) {
            Ok(url) if is_origin(&url) && !origin.contains('*') => Ok(with_port(&url)),
            _ => Err(format!(
                "\"{origin}\" is no origin; write https://tools.example, with :port or without, and no path"
            )),
        });
        origins.collect::<Result<_, _>>().map(Self)
    }
}

impl Origins {
    /// Whether it is one of them, as a browser writes it.
    pub fn holds(&self, origin: &str) -> bool {
        let known = Url::parse(origin).ok().filter(is_origin);
        known.is_some_and(|url| self.0.contains(&with_port(&url)))
    }
}

impl<'de> Deserialize<'de> for Hosts {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Origins {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// A host as clients send it: in small letters of ASCII. A port that was written stays, also the one that a scheme implies.
fn as_sent(url: &Url, written: &str) -> String {
    let name = url.host_str().unwrap_or_default();
    let implied = || written.ends_with(":80").then_some(80);
    match url.port().or_else(implied) {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    }
}

/// Whether there is nothing but a scheme, a host and perhaps a port.
fn is_origin(url: &Url) -> bool {
    url.host_str().is_some_and(|host| !host.is_empty())
        && matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_origins_are_read_and_what_would_match_nothing_is_refused() {
        let hosts: Hosts = "keepsake, 10.1.2.3:3000,[fd00::1], ".parse().unwrap();
        assert_eq!(hosts.0, ["keepsake", "10.1.2.3:3000", "[fd00::1]"]);
        let origins: Origins =
            "https://tools.example,http://localhost:6274/, vscode-file://vscode-app"
                .parse()
                .unwrap();
        assert_eq!(
            origins.0,
            [
                "https://tools.example:443",
                "http://localhost:6274",
                "vscode-file://vscode-app"
            ]
        );
        for (written, sent) in [
            ("Bücher.example:8080", "xn--bcher-kva.example:8080"),
            ("KEEPSAKE:80", "keepsake:80"),
            ("[FD00::80]", "[fd00::80]"),
        ] {
            assert_eq!(written.parse::<Hosts>().unwrap().0, [sent]);
        }
        for (origin, holds) in [
            ("https://tools.example", true),
            ("https://tools.example:443", true),
            ("vscode-file://vscode-app", true),
            ("http://tools.example", false),
            ("https://tools.example:8443", false),
            ("null", false),
        ] {
            assert_eq!(origins.holds(origin), holds, "{origin}");
        }
        assert_eq!("".parse(), Ok(Hosts(Vec::new())));
        for wrong in [
            "https://k.example",
            "k.example/mcp",
            "*",
            "a b",
            "fd00::1",
            "me@k.example",
        ] {
            assert!(wrong.parse::<Hosts>().is_err(), "{wrong}");
        }
        for wrong in [
            "tools.example",
            "https://tools.example/x",
            "https://*.example",
            "null",
            "*",
        ] {
            assert!(wrong.parse::<Origins>().is_err(), "{wrong}");
        }
    }
}
