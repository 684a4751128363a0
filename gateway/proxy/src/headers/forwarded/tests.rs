use super::*;

fn head(lines: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(*name, HeaderValue::from_static(value));
    }
    headers
}

/// For, Proto, Host and Port as an upstream gets them from a peer of which `trusted` is said, and the
/// client.
fn told(peer: &str, trusted: &[&str], lines: &[(&'static str, &'static str)]) -> (String, String) {
    let trusted: Vec<Cidr> = trusted.iter().map(|text| text.parse().unwrap()).collect();
    let mut headers = head(lines);
    headers.insert(header::HOST, HeaderValue::from_static("a.example:8080"));
    let connection = Forwarded::new(peer.parse().unwrap(), 80, &trusted);
    let way = connection.way(&headers, &trusted);
    let client = way.client().to_string();
    way.replace(&mut headers);
    let of = |name: HeaderName| {
        let lines: Vec<_> = headers
            .get_all(&name)
            .iter()
            .map(|v| v.to_str().unwrap())
            .collect();
        lines.join(" and ")
    };
    let ours = headers.keys().filter(|name| is_ours(name.as_str())).count();
    assert_eq!(ours, 4, "{headers:?}");
    (
        format!("{} | {} | {} | {}", of(FOR), of(PROTO), of(HOST), of(PORT)),
        client,
    )
}

const FORGED: &[(&str, &str)] = &[
    ("x-forwarded-for", "6.6.6.6"),
    ("x_forwarded_for", "6.6.6.6"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "evil.example"),
    ("x-forwarded-port", "443"),
    ("x-forwarded-uri", "/adm"),
    ("x-forwarded_method", "GET"),
    ("x-real-ip", "6.6.6.6"),
    ("x-real_ip", "6.6.6.6"),
    ("forwarded", "for=6.6.6.6;proto=https"),
];

/// O-D7.
#[test]
fn what_a_stranger_says_is_replaced() {
    let doubled = [FORGED, FORGED].concat();
    for (peer, address) in [
        ("1.1.1.1:999", "1.1.1.1"),
        ("[::ffff:1.1.1.1]:999", "1.1.1.1"),
        ("[2001:db8::1]:999", "2001:db8::1"),
    ] {
        for trusted in [&[][..], &["10.0.0.0/8", "fd00::/8"]] {
            for lines in [&[][..], FORGED, &doubled] {
                let expected = format!("{address} | http | a.example:8080 | 80");
                assert_eq!(
                    told(peer, trusted, lines),
                    (expected, address.to_owned()),
                    "{peer}"
                );
            }
        }
    }
}

/// O-D7.
#[test]
fn a_trusted_proxy_says_who_the_client_is_and_how_it_came() {
    let by = |lines: &[(&'static str, &'static str)]| told("[::ffff:10.0.0.1]:999", &["10.0.0.0/8"], lines).0;
    assert_eq!(by(FORGED), "6.6.6.6, 10.0.0.1 | https | evil.example | 443");
    assert_eq!(by(&[]), "10.0.0.1 | http | a.example:8080 | 80");
    let chain = ("x-forwarded-for", "6.6.6.6, [2001:db8::1]:443, 10.9.9.9:5");
    assert_eq!(
        by(&[chain]),
        "2001:db8::1, 10.9.9.9, 10.0.0.1 | http | a.example:8080 | 80"
    );
    let (_, client) = told("10.0.0.1:9", &["10.0.0.0/8"], &[chain]);
    assert_eq!(client, "2001:db8::1");
    let (_, client) = told("10.0.0.1:9", &["10.0.0.0/8"], &[("x-forwarded-for", "unknown")]);
    assert_eq!(client, "10.0.0.1");
}

#[test]
fn what_a_trusted_proxy_says_in_doubtful_form_is_not_believed() {
    let by = |lines: &[(&'static str, &'static str)]| told("10.0.0.1:9", &["10.0.0.0/8"], lines).0;
    let own = "10.0.0.1 | http | a.example:8080 | 80";
    for lines in [
        &[("x-forwarded-proto", "https, http")][..],
        &[("x-forwarded-proto", "https"), ("x-forwarded-proto", "https")],
        &[("x-forwarded-proto", "ftp")],
        &[("x-forwarded-proto", "")],
        &[("x-forwarded-host", "a.example, b.example")],
        &[
            ("x-forwarded-host", "a.example"),
            ("x-forwarded-host", "a.example"),
        ],
        &[("x-forwarded-host", "user@a.example")],
        &[("x-forwarded-host", "")],
        &[("x-forwarded-port", "0")],
        &[("x-forwarded-port", "+443")],
        &[("x-forwarded-port", "65536")],
        &[("x-forwarded-port", "443, 80")],
        &[("forwarded", "for=6.6.6.6;proto=https;host=b.example")],
        &[("x-real-ip", "6.6.6.6")],
        &[("x_forwarded_proto", "https")],
    ] {
        assert_eq!(by(lines), own, "{lines:?}");
    }
}

#[test]
fn the_port_agrees_with_the_scheme() {
    let by = |lines: &[(&'static str, &'static str)]| {
        let (told, _) = told("10.0.0.1:9", &["10.0.0.0/8"], lines);
        told.rsplit(" | ").next().unwrap().to_owned()
    };
    assert_eq!(by(&[("x-forwarded-proto", "HTTPS")]), "443");
    assert_eq!(by(&[("x-forwarded-proto", "http")]), "80");
    let both = [("x-forwarded-proto", "https"), ("x-forwarded-port", "8443")];
    assert_eq!(by(&both), "8443");
    assert_eq!(by(&[("x-forwarded-port", "8080")]), "8080");
}

#[test]
fn other_names_are_left_alone() {
    for name in [
        "x-forwarded",
        "x-real-ips",
        "via",
        "x-request-id",
        "forwarded-for",
    ] {
        assert!(!is_ours(name), "{name}");
    }
}
