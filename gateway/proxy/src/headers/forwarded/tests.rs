use super::*;

#[test]
fn the_clients_own_claims_are_replaced() {
    let mut headers = HeaderMap::new();
    headers.insert(header::HOST, HeaderValue::from_static("a.example:8080"));
    for name in [
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-forwarded-uri",
        "x_forwarded_for",
        "x-forwarded_method",
        "x-real-ip",
        "x-real_ip",
        "forwarded",
    ] {
        let name = HeaderName::from_static(name);
        headers.append(name.clone(), HeaderValue::from_static("forged"));
        headers.append(name, HeaderValue::from_static("forged too"));
    }
    remove(&mut headers);
    assert_eq!(headers.len(), 1, "{headers:?}");

    Forwarded::new("[::ffff:10.1.2.3]:999".parse().unwrap(), 80).set(&mut headers);
    for (name, value) in [
        (FOR, "10.1.2.3"),
        (PROTO, "http"),
        (HOST, "a.example:8080"),
        (PORT, "80"),
    ] {
        let lines: Vec<_> = headers.get_all(&name).iter().collect();
        assert_eq!(lines, [value], "{name}");
    }
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
