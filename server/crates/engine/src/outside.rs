//! Which addresses digests and webhooks may be sent to, and sending there. An address is typed by a person, and the request comes from
//! inside: without a limit it would reach what only the installation can reach. The name is looked up once, and the request goes to what
//! was found.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use ipnet::IpNet;
use reqwest::{header::RETRY_AFTER, redirect::Policy};
use secrecy::SecretString;
use url::{Host, Url};

/// How the installation reaches the outside by itself.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    /// The address of the dashboard, without a slash at its end.
    pub public_url: String,
    /// The mail server: `smtps://user:password@host`; `None`: no e-mail.
    pub smtp_url: Option<SecretString>,
    /// Whom e-mail comes from.
    pub mail_from: String,
    /// Private addresses that webhooks may be at.
    pub allowed_private: Allowed,
}

/// Private addresses that may be reached nevertheless.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    nets: Vec<IpNet>,
    /// Hosts by name: wherever their name leads, and without TLS too.
    names: Vec<String>,
}

impl Allowed {
    /// Reads networks and names of hosts with commas between them: `10.1.0.0/16, fd00::/8, runtime.internal`; a single address stands for
    /// itself.
    ///
    /// # Errors
    /// The part that is neither.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut allowed = Self::default();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let address = || part.parse::<IpAddr>().map(IpNet::from);
            match (
                part.parse::<IpNet>().or_else(|_| address()),
                Host::parse(part),
            ) {
                (Ok(net), _) => allowed.nets.push(net),
                (Err(_), Ok(Host::Domain(name))) => allowed.names.push(name),
                (Err(_), _) => return Err(part.to_owned()),
            }
        }
        Ok(allowed)
    }

    fn holds(&self, address: IpAddr) -> bool {
        self.nets.iter().any(|net| net.contains(&address))
    }

    /// Whether an administrator allowed this host by its name.
    fn names(&self, url: &Url) -> bool {
        matches!(url.host(), Some(Host::Domain(host)) if self.names.iter().any(|name| name == host))
    }

    /// Whether this address may be reached: one of the public internet, or an allowed one.
    fn reach(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        is_public(address) || self.holds(address)
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let protocols = (a, b, c) == (192, 0, 0);
    let benchmarks = a == 198 && (18..20).contains(&b);
    // Relays of 6to4 are no more.
    let relay = (a, b, c) == (192, 88, 99);
    !(a == 0
        || a >= 240
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || shared
        || protocols
        || benchmarks
        || relay)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match a {
        // NAT64 and 6to4 lead to an address of IPv4.
        0x64 if (b, c, d, e, f) == (0xff9b, 0, 0, 0, 0) => embedded(g, h),
        0x2002 => embedded(b, c),
        // Protocols (Teredo among them), and documentation.
        0x2001 if b < 0x200 || b == 0xdb8 => false,
        0x3fff if b < 0x1000 => false,
        _ => (0x2000..0x4000).contains(&a),
    }
}

/// Why an address is refused, in a word.
pub type Refused = &'static str;

/// An address as it can be stored: of a form that can be asked, and not plainly a private one.
///
/// # Errors
/// `too_long`, `shape`, `user_info`, `https`, `private_address`.
pub fn checked(text: &str, allowed: &Allowed) -> Result<Url, Refused> {
    if text.len() > 2048 {
        return Err("too_long");
    }
    let url: Url = text.parse().map_err(|_| "shape")?;
    let host = url.host().ok_or("shape")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("user_info");
    }
    let literal = match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
    };
    match url.scheme() {
        "https" => {}
        // Only to this machine, where nobody listens in between, and to what an administrator named; and only where that is allowed at all.
        "http" if literal.is_some_and(|address| address.is_loopback()) || allowed.names(&url) => {}
        _ => return Err("https"),
    }
    if literal.is_some_and(|address| !allowed.reach(address)) {
        return Err("private_address");
    }
    Ok(url)
}

/// An address that events are to be sent to from now on: as [`checked`], without a fragment, because that is never sent, and no name that
/// stands for this machine wherever it is asked.
///
/// # Errors
/// As there; `fragment`.
pub fn to_be_told(text: &str, allowed: &Allowed) -> Result<Url, Refused> {
    let url = checked(text, allowed)?;
    if url.fragment().is_some() {
        return Err("fragment");
    }
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        _ => false,
    };
    if here && !allowed.names(&url) && !allowed.reach(Ipv4Addr::LOCALHOST.into()) {
        return Err("private_address");
    }
    Ok(url)
}

/// Looks the name up, once; all that it stands for must be in reach, unless it was allowed by its name.
///
/// # Errors
/// `not_resolved`, `private_address`.
async fn resolved(url: &Url, allowed: &Allowed) -> Result<Vec<SocketAddr>, Refused> {
    let addresses = url_addresses(url).await.ok_or("not_resolved")?;
    if addresses.is_empty() {
        return Err("not_resolved");
    }
    let reached = allowed.names(url) || addresses.iter().all(|address| allowed.reach(address.ip()));
    reached.then_some(addresses).ok_or("private_address")
}

async fn url_addresses(url: &Url) -> Option<Vec<SocketAddr>> {
    let port = url.port_or_known_default()?;
    match url.host()? {
        Host::Ipv4(address) => Some(vec![SocketAddr::new(address.into(), port)]),
        Host::Ipv6(address) => Some(vec![SocketAddr::new(address.into(), port)]),
        Host::Domain(name) => {
            let found = tokio::net::lookup_host((name, port)).await;
            found.ok().map(Iterator::collect)
        }
    }
}

/// What a peer answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// After how many seconds it wants to be asked again, where it said so.
    pub retry_after: Option<u32>,
}

impl Answer {
    /// Whether the peer took it. A redirect is no answer: it could lead anywhere.
    pub fn took_it(self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Posts JSON to an address that somebody typed. The body of the answer is not read at all. No transaction is open here.
///
/// # Errors
/// As of [`checked`]; `not_resolved`, `private_address`, `timeout` after `patience`, `unreachable`.
pub(crate) async fn post(
    url: &str,
    allowed: &Allowed,
    patience: Duration,
    headers: &[(&'static str, String)],
    body: String,
) -> Result<Answer, Refused> {
    let url = checked(url, allowed)?;
    let lookup = tokio::time::timeout(patience, resolved(&url, allowed));
    let addresses = lookup.await.map_err(|_| "not_resolved")??;
    let host = url.host_str().unwrap_or_default();
    let client = reqwest::Client::builder()
        .redirect(Policy::none())
        // A proxy would look the name up once more.
        .no_proxy()
        .resolve_to_addrs(host, &addresses)
        .timeout(patience)
        .build()
        .map_err(|_| "unreachable")?;
    let mut request = client
        .post(url.clone())
        .header("content-type", "application/json")
        .body(body);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    match request.send().await {
        Ok(answer) => {
            let seconds = answer.headers().get(RETRY_AFTER);
            let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.trim().parse().ok());
            Ok(Answer {
                status: answer.status().as_u16(),
                retry_after: seconds,
            })
        }
        Err(error) if error.is_timeout() => Err("timeout"),
        Err(_) => Err("unreachable"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // G8
    #[test]
    fn only_the_public_internet_is_in_reach_unless_a_network_is_allowed() {
        let none = Allowed::default();
        for private in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "fd00::1",
            "fe80::1",
            "ff02::1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!none.reach(private.parse().unwrap()), "{private}");
        }
        for public in [
            "1.1.1.1",
            "93.184.215.14",
            "2606:4700:4700::1111",
            "64:ff9b::101:101",
        ] {
            assert!(none.reach(public.parse().unwrap()), "{public}");
        }
        let some = Allowed::parse(" 10.1.0.0/16, fd00::/8,127.0.0.1 ").unwrap();
        for allowed in ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "127.0.0.1"] {
            assert!(some.reach(allowed.parse().unwrap()), "{allowed}");
        }
        assert!(!some.reach("10.2.0.1".parse().unwrap()));
        for wrong in ["10.0.0.0/33", "10.0.0", "my home", "home/x", "10.0.0.300"] {
            let list = format!("10.0.0.0/8, {wrong}");
            assert_eq!(Allowed::parse(&list), Err(wrong.to_owned()));
        }
        assert_eq!(Allowed::parse(""), Ok(Allowed::default()));
    }

    // G8
    #[test]
    fn an_address_is_of_https_and_never_plainly_private() {
        let none = Allowed::default();
        for (text, why) in [
            ("hooks.slack.com/x", "shape"),
            ("mailto:mia@hooks.slack.com", "shape"),
            ("ftp://hooks.slack.com/x", "https"),
            ("https://mia:secret@hooks.slack.com/x", "user_info"),
            ("http://hooks.slack.com/x", "https"),
            ("http://127.0.0.1:9/x", "private_address"),
            ("https://[::1]/x", "private_address"),
            ("https://2130706433/x", "private_address"),
            ("https://169.254.169.254/latest", "private_address"),
        ] {
            assert_eq!(checked(text, &none).unwrap_err(), why, "{text}");
        }
        assert!(checked("https://hooks.slack.com/services/T/B/x", &none).is_ok());
        let long = format!("https://hooks.slack.com/{}", "x".repeat(2048));
        assert_eq!(checked(&long, &none), Err("too_long"));
        let here = Allowed::parse("127.0.0.0/8").unwrap();
        assert!(checked("http://127.0.0.1:9/x", &here).is_ok());
        assert_eq!(checked("http://10.0.0.1/x", &here), Err("https"));
        // Whoever runs the runtime beside it names its host.
        let named = Allowed::parse("Runtime.internal").unwrap();
        assert!(checked("http://runtime.internal:8080/x", &named).is_ok());
        assert_eq!(checked("http://other.internal/x", &named), Err("https"));
        assert_eq!(
            checked("https://10.0.0.1/x", &named),
            Err("private_address")
        );
    }

    // G4
    #[test]
    fn what_is_to_be_told_is_not_this_machine_and_has_no_fragment() {
        let none = Allowed::default();
        for (text, why) in [
            ("https://localhost/x", "private_address"),
            ("https://LOCALHOST:8443/x", "private_address"),
            ("https://app.localhost/x", "private_address"),
            ("https://127.0.0.1/x", "private_address"),
            ("https://runtime.example/x#part", "fragment"),
            ("https://mia@runtime.example/x", "user_info"),
        ] {
            assert_eq!(to_be_told(text, &none), Err(why), "{text}");
        }
        assert!(to_be_told("https://localhost.example/x", &none).is_ok());
        for allowed in ["localhost", "127.0.0.0/8"] {
            let some = Allowed::parse(allowed).unwrap();
            assert!(
                to_be_told("https://localhost/x", &some).is_ok(),
                "{allowed}"
            );
        }
    }

    // G8
    #[tokio::test]
    async fn a_name_that_leads_inside_is_refused_unless_it_was_allowed_by_name() {
        let url: Url = "https://localhost/x".parse().unwrap();
        let none = Allowed::default();
        assert_eq!(resolved(&url, &none).await, Err("private_address"));
        let named = Allowed::parse("localhost").unwrap();
        assert!(!resolved(&url, &named).await.unwrap().is_empty());
    }
}
