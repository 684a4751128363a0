use super::*;

fn of(target: &str) -> Behaviour {
    Behaviour::of(&target.parse().unwrap())
}

#[test]
fn the_end_of_the_path_decides_behind_any_prefix() {
    for (target, wanted) in [
        ("/", Behaviour::Report),
        ("/a/b?delay/5", Behaviour::Report),
        ("/delay/5", Behaviour::Delay(Duration::from_millis(5))),
        ("/api/v1/delay/5?x=1", Behaviour::Delay(Duration::from_millis(5))),
        ("/delay/5/more", Behaviour::Report),
        ("/slow-read/7", Behaviour::SlowRead(Duration::from_millis(7))),
        ("/status/418", Behaviour::Status(StatusCode::IM_A_TEAPOT)),
        (
            "/bytes/9",
            Behaviour::Bytes {
                length: 9,
                chunked: false,
            },
        ),
        (
            "/bytes/9?chunked",
            Behaviour::Bytes {
                length: 9,
                chunked: true,
            },
        ),
        ("/reset-mid-body/3", Behaviour::ResetMidBody(3)),
        ("/a/close", Behaviour::Close),
        ("/hang-up", Behaviour::HangUp { spare_first: false }),
        ("/hang-up-reused", Behaviour::HangUp { spare_first: true }),
        ("/count/a", Behaviour::Count("a".to_owned())),
        ("/counts", Behaviour::Counts),
    ] {
        assert_eq!(of(target), wanted, "{target}");
    }
}

#[test]
fn what_a_behaviour_cannot_use_is_said() {
    for target in [
        "/delay/x",
        "/status/99",
        "/status/101",
        "/status/1000",
        "/bytes/-1",
        "/reset-mid-body/",
    ] {
        assert!(matches!(of(target), Behaviour::Invalid(_)), "{target}");
    }
    for query in ["a", "a b=1", "a=%0A", "a=%f", "a=%zz", "%20=x", "a=%\u{e9}x"] {
        assert!(headers(query).is_none(), "{query}");
    }
}

#[test]
fn response_headers_are_decoded_in_order_with_duplicates() {
    let Behaviour::ResponseHeaders(headers) = of("/response-headers?X-A=1&x-a=%20b%2C&Via=") else {
        panic!("another behaviour");
    };
    let texts: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    assert_eq!(texts, [("x-a", &b"1"[..]), ("x-a", b" b,"), ("via", b"")]);
}
