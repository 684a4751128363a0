use super::*;

#[test]
fn a_network_holds_the_addresses_that_share_its_bits() {
    for (network, inside, outside) in [
        ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
        ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"),
        ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
        ("192.0.2.7/32", "192.0.2.7", "192.0.2.8"),
        ("0.0.0.0/0", "203.0.113.1", "2001:db8::1"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
        ("::1", "::1", "::2"),
        ("::/0", "2001:db8::1", "203.0.113.1"),
        ("::ffff:10.0.0.0/104", "10.1.1.1", "11.0.0.0"),
        ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.2"),
    ] {
        let network: Cidr = network.parse().unwrap();
        assert!(network.contains(inside.parse().unwrap()), "{network} {inside}");
        assert!(!network.contains(outside.parse().unwrap()), "{network} {outside}");
        assert_eq!(network.to_string().parse(), Ok(network));
    }
}

#[test]
fn what_is_no_network_is_refused_with_what_to_write() {
    for text in [
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/+8",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "10.0.0.0/255.0.0.0",
        "10.0.0/8",
        "10.0.0.010/32",
        "2001:db8::/129",
        "[::1]",
        "::ffff:10.0.0.0/8",
        "10.0.0.0/4294967304",
        "localhost",
        " 10.0.0.0/8",
    ] {
        let error = text.parse::<Cidr>().unwrap_err();
        assert_eq!(error, CidrError::Malformed(text.to_owned()));
    }
    let error = "10.1.2.3/8".parse::<Cidr>().unwrap_err();
    assert!(error.to_string().contains("write 10.0.0.0/8 for"), "{error}");
}
