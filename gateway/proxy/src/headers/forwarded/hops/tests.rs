use proptest::prelude::*;

use super::*;

/// `10.*` and `fd00::1` are trusted.
fn is_trusted(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[0] == 10,
        IpAddr::V6(address) => address == "fd00::1".parse::<Ipv6Addr>().unwrap(),
    }
}

fn hops_of(peer: &str, lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| line.as_bytes());
    let hops = walk(peer.parse().unwrap(), lines, is_trusted);
    let texts: Vec<_> = hops.iter().map(ToString::to_string).collect();
    texts.join(" < ")
}

/// O-D7.
#[test]
fn the_first_address_that_is_not_trusted_is_the_client() {
    for (lines, expected) in [
        (&[][..], "10.0.0.1"),
        (&["1.1.1.1"], "10.0.0.1 < 1.1.1.1"),
        (&["6.6.6.6, 1.1.1.1"], "10.0.0.1 < 1.1.1.1"),
        (&["6.6.6.6, 10.9.9.9"], "10.0.0.1 < 10.9.9.9 < 6.6.6.6"),
        (&["6.6.6.6,1.1.1.1,10.9.9.9"], "10.0.0.1 < 10.9.9.9 < 1.1.1.1"),
        (&["10.8.8.8, 10.9.9.9"], "10.0.0.1 < 10.9.9.9 < 10.8.8.8"),
        (&["10.8.8.8, 1.1.1.1, 10.9.9.9"], "10.0.0.1 < 10.9.9.9 < 1.1.1.1"),
        (&["6.6.6.6", "1.1.1.1"], "10.0.0.1 < 1.1.1.1"),
        (&["6.6.6.6, 1.1.1.1", "10.9.9.9"], "10.0.0.1 < 10.9.9.9 < 1.1.1.1"),
        (&["1.1.1.1", "fd00::1"], "10.0.0.1 < fd00::1 < 1.1.1.1"),
        (&["\t1.1.1.1 \t"], "10.0.0.1 < 1.1.1.1"),
        (&["1.2.3.4:5"], "10.0.0.1 < 1.2.3.4"),
        (&["1.1.1.1, 10.9.9.9:5"], "10.0.0.1 < 10.9.9.9 < 1.1.1.1"),
        (&["2001:db8::1"], "10.0.0.1 < 2001:db8::1"),
        (&["[2001:db8::1]"], "10.0.0.1 < 2001:db8::1"),
        (&["[2001:db8::1]:443"], "10.0.0.1 < 2001:db8::1"),
        (&["1.1.1.1, ::ffff:10.9.9.9"], "10.0.0.1 < 10.9.9.9 < 1.1.1.1"),
        (&["::ffff:1.1.1.1"], "10.0.0.1 < 1.1.1.1"),
    ] {
        assert_eq!(hops_of("10.0.0.1", lines), expected, "{lines:?}");
    }
    for lines in [&[][..], &["1.1.1.1"], &["1.1.1.1, 10.9.9.9"]] {
        assert_eq!(hops_of("203.0.113.9", lines), "203.0.113.9", "{lines:?}");
    }
}

/// O-D7.
#[test]
fn what_is_no_address_ends_the_walk_at_the_last_good_hop() {
    for entry in [
        "",
        " ",
        "unknown",
        "_hidden",
        "client.example",
        "1.2.3",
        "1.2.3.256",
        "1.2.3.04",
        "0x1.2.3.4",
        "1.2.3.4:",
        "1.2.3.4:x",
        "1.2.3.4:65536",
        "[1.2.3.4]",
        "[2001:db8::1",
        "2001:db8::1]",
        "[2001:db8::1]443",
        "[2001:db8::1]:",
        "[[2001:db8::1]]",
        "2001:db8::1::2",
        "fe80::1%eth0",
        "[fe80::1%1]:443",
        "\"[2001:db8::1]:443\"",
        "for=1.2.3.4",
        "1.1.1.1;1.2.3.4",
        "1.1.1.1 1.2.3.4",
        "\u{0661}.1.1.1",
    ] {
        assert_eq!(hops_of("10.0.0.1", &[entry]), "10.0.0.1", "{entry}");
        let line = format!("6.6.6.6, {entry}, 10.9.9.9");
        assert_eq!(hops_of("10.0.0.1", &[&line]), "10.0.0.1 < 10.9.9.9", "{entry}");
    }
    assert_eq!(hops_of("10.0.0.1", &["6.6.6.6", ""]), "10.0.0.1");
    assert_eq!(hops_of("10.0.0.1", &["6.6.6.6,"]), "10.0.0.1");
}

/// O-D7.
#[test]
fn a_way_without_end_is_not_followed() {
    let long = ["10.9.9.9"; 500].join(", ");
    let looked_at = std::cell::Cell::new(0);
    let hops = walk(
        "10.0.0.1".parse().unwrap(),
        [b"6.6.6.6".as_slice(), long.as_bytes()].into_iter(),
        |address| {
            looked_at.set(looked_at.get() + 1);
            is_trusted(address)
        },
    );
    assert_eq!((hops.len(), looked_at.get()), (MAX_HOPS, MAX_HOPS - 1));
    let forged = format!("{}, 1.1.1.1", ["6.6.6.6"; 500].join(","));
    assert_eq!(hops_of("10.0.0.1", &[&forged]), "10.0.0.1 < 1.1.1.1");
}

fn entry() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "10\\.[0-9]\\.[0-9]\\.[0-9]",
        2 => "[1-9]\\.[0-9]\\.[0-9]\\.[0-9](:[0-9]{1,5})?",
        1 => "\\[?(fd00|2001):(db8)?:[0-9a-f]{1,4}\\]?(:443)?",
        1 => "[unkow,.0-9:\\[\\] -]{0,12}",
    ]
}

proptest! {
    /// Whatever stands left of the client changes nothing, however it is split into lines.
    #[test]
    fn nobody_is_believed_beyond_the_first_who_is_not_trusted(
        entries in prop::collection::vec(entry(), 0..12),
        forged in prop::collection::vec(entry(), 0..4),
        split in any::<prop::sample::Index>(),
    ) {
        let peer = "10.0.0.1".parse().unwrap();
        let line = entries.join(",");
        let way = walk(peer, [line.as_bytes()].into_iter(), is_trusted);
        prop_assert_eq!(way[0], peer);
        prop_assert!(way.len() <= entries.iter().map(|e| e.split(',').count()).sum::<usize>() + 1);
        let (client, proxies) = way.split_last().unwrap();
        prop_assert!(proxies.iter().all(|proxy| is_trusted(*proxy)));

        let at = split.index(entries.len() + 1);
        let (left, right) = (entries[..at].join(","), entries[at..].join(", "));
        let mut lines = vec![left.as_bytes(), right.as_bytes()];
        if left.is_empty() { lines.remove(0); }
        if right.is_empty() { lines.pop(); }
        if entries.iter().all(|entry| !entry.trim().is_empty()) {
            prop_assert_eq!(&walk(peer, lines.into_iter(), is_trusted), &way);
        }

        if !is_trusted(*client) {
            let longer = format!("{},{line}", forged.join(","));
            prop_assert_eq!(walk(peer, [longer.as_bytes()].into_iter(), is_trusted), way);
        }
    }
}
