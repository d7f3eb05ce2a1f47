//! Which addresses a digest may be sent to. An address of a webhook is typed by a person, and the request comes from inside: without a
//! limit it would reach what only the installation can reach. The name is looked up once, and the request goes to what was found.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use url::{Host, Url};

/// Private addresses that may be reached nevertheless.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(Vec<IpNet>);

impl Allowed {
    /// Reads networks with commas between them: `10.1.0.0/16, fd00::/8`; a single address stands for itself.
    ///
    /// # Errors
    /// The part that is no network.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim);
        let nets = parts.filter(|part| !part.is_empty()).map(|part| {
            let one = |address: IpAddr| IpNet::from(address);
            part.parse()
                .or_else(|_| part.parse().map(one))
                .map_err(|_| part.to_owned())
        });
        nets.collect::<Result<_, _>>().map(Self)
    }

    fn holds(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }

    /// Whether this address may be reached: one of the public internet, or an allowed one.
    pub(super) fn reach(&self, address: IpAddr) -> bool {
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
/// `shape`, `https`, `private_address`.
pub fn checked(text: &str, allowed: &Allowed) -> Result<Url, Refused> {
    let url: Url = text.parse().map_err(|_| "shape")?;
    let plain = url.username().is_empty() && url.password().is_none() && text.len() <= 2048;
    let host = url.host().filter(|_| plain).ok_or("shape")?;
    let literal = match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
    };
    match url.scheme() {
        "https" => {}
        // Only to this machine, where nobody listens in between; and only where that is allowed at all.
        "http" if literal.is_some_and(|address| address.is_loopback()) => {}
        "http" => return Err("https"),
        _ => return Err("shape"),
    }
    if literal.is_some_and(|address| !allowed.reach(address)) {
        return Err("private_address");
    }
    Ok(url)
}

/// Looks the name up, once; all that it stands for must be in reach.
///
/// # Errors
/// `not_resolved`, `private_address`.
pub(super) async fn resolved(url: &Url, allowed: &Allowed) -> Result<Vec<SocketAddr>, Refused> {
    let addresses = url_addresses(url).await.ok_or("not_resolved")?;
    if addresses.is_empty() {
        return Err("not_resolved");
    }
    let reached = addresses.iter().all(|address| allowed.reach(address.ip()));
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
        assert_eq!(Allowed::parse("10.0.0.0/8, home"), Err("home".to_owned()));
        assert_eq!(Allowed::parse(""), Ok(Allowed::default()));
    }

    // G8
    #[test]
    fn an_address_is_of_https_and_never_plainly_private() {
        let none = Allowed::default();
        for (text, why) in [
            ("hooks.slack.com/x", "shape"),
            ("ftp://hooks.slack.com/x", "shape"),
            ("https://mia:secret@hooks.slack.com/x", "shape"),
            ("http://hooks.slack.com/x", "https"),
            ("http://127.0.0.1:9/x", "private_address"),
            ("https://[::1]/x", "private_address"),
            ("https://2130706433/x", "private_address"),
            ("https://169.254.169.254/latest", "private_address"),
        ] {
            assert_eq!(checked(text, &none).unwrap_err(), why, "{text}");
        }
        assert!(checked("https://hooks.slack.com/services/T/B/x", &none).is_ok());
        let here = Allowed::parse("127.0.0.0/8").unwrap();
        assert!(checked("http://127.0.0.1:9/x", &here).is_ok());
        assert_eq!(checked("http://10.0.0.1/x", &here), Err("https"));
    }
}
