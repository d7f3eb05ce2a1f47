//! The address people see, and what follows from it for cookies and origins.

use std::net::SocketAddr;

use url::{Host, Url};

/// A checked public address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    url: Url,
}

/// Why an address cannot be the public one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("KEEPSAKE_PUBLIC_URL is \"{0}\"; it is http:// or https://, a host, and no path")]
pub struct InvalidPublicUrl(String);

impl PublicUrl {
    /// Takes the address that was set, or else the one listened on; an unspecified one (`0.0.0.0`) becomes loopback.
    ///
    /// # Errors
    /// It is no plain http or https origin.
    pub fn new(set: &str, listen: SocketAddr) -> Result<Self, InvalidPublicUrl> {
        let wrong = || InvalidPublicUrl(set.to_owned());
        let text = if set.is_empty() {
            let ip = listen.ip();
            match (ip.is_unspecified(), ip) {
                (true, _) => format!("http://127.0.0.1:{}", listen.port()),
                (false, _) => format!("http://{listen}"),
            }
        } else {
            set.to_owned()
        };
        let url = Url::parse(&text).map_err(|_| wrong())?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        plain.then_some(Self { url }).ok_or_else(wrong)
    }

    /// Whether cookies are `Secure`.
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether people can sign in: over https, or over http on this very machine.
    pub fn takes_sign_in(&self) -> bool {
        self.is_https()
            || match self.url.host() {
                Some(Host::Ipv4(ip)) => ip.is_loopback(),
                Some(Host::Ipv6(ip)) => ip.is_loopback(),
                Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
                None => false,
            }
    }

    /// The name of the session's cookie. `__Host-` makes browsers refuse one that a subdomain or plain http set.
    pub fn cookie(&self) -> &'static str {
        if self.is_https() {
            "__Host-keepsake"
        } else {
            "keepsake"
        }
    }

    /// What `Origin` says for a page of this address.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The same with the port written out, also where the scheme implies it.
    pub fn origin_with_port(&self) -> String {
        with_port(&self.url)
    }

    /// The name or address in it, without the port; an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The address of a path.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }
}

/// The origin of an address, with its port also where the scheme implies it; without one where the scheme has none.
pub(super) fn with_port(url: &Url) -> String {
    let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
    match url.port_or_known_default() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(set: &str) -> Result<PublicUrl, InvalidPublicUrl> {
        PublicUrl::new(set, "0.0.0.0:3000".parse().unwrap())
    }

    #[test]
    fn https_and_loopback_take_sign_in_and_other_http_does_not() {
        for good in [
            "",
            "http://localhost:3000",
            "http://[::1]:3000",
            "https://keepsake.example",
        ] {
            assert!(url(good).unwrap().takes_sign_in(), "{good}");
        }
        assert!(!url("http://keepsake.example").unwrap().takes_sign_in());
        assert!(!url("http://10.0.0.5:3000").unwrap().takes_sign_in());
        assert_eq!(url("").unwrap().origin(), "http://127.0.0.1:3000");
        let plain = url("https://k.example").unwrap();
        assert_eq!(plain.origin_with_port(), "https://k.example:443");
        assert_eq!(url("http://[::1]:3000").unwrap().host(), "[::1]");
        assert_eq!(
            url("https://k.example").unwrap().cookie(),
            "__Host-keepsake"
        );
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for bad in [
            "keepsake.example",
            "ftp://k.example",
            "https://k.example/app",
            "https://a:b@k.example",
            "https://k.example/?x",
        ] {
            assert!(url(bad).is_err(), "{bad}");
        }
    }
}
