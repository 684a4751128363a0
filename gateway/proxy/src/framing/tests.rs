use http::Request;

use super::*;

fn check_lines(version: Version, method: &str, lines: &[(&str, &str)]) -> Result<(), Refusal> {
    let mut request = Request::builder().method(method).version(version);
    for (name, value) in lines {
        request = request.header(*name, *value);
    }
    check(&request.body(()).unwrap().into_parts().0, 64)
}

#[test]
fn only_one_clean_length_passes() {
    let te = "transfer-encoding";
    let cl = "content-length";
    for (lines, expected) in [
        (vec![], Ok(())),
        (vec![(cl, "5")], Ok(())),
        (vec![(te, "chunked")], Ok(())),
        (vec![(te, "Chunked")], Ok(())),
        (
            vec![(te, "chunked"), (te, "chunked")],
            Err(Refusal::TransferEncoding),
        ),
        (
            vec![(te, "identity"), (te, "chunked")],
            Err(Refusal::TransferEncoding),
        ),
        (vec![(te, "gzip, chunked")], Err(Refusal::TransferEncoding)),
        (vec![(te, "chunked, chunked")], Err(Refusal::TransferEncoding)),
        (vec![(te, "chunked;x=1")], Err(Refusal::TransferEncoding)),
        (vec![(te, "xchunked")], Err(Refusal::TransferEncoding)),
        (vec![(te, "")], Err(Refusal::TransferEncoding)),
        (vec![(te, "chunked"), (cl, "5")], Err(Refusal::Length)),
        (vec![(cl, "5"), (cl, "5")], Err(Refusal::Length)),
    ] {
        assert_eq!(
            check_lines(Version::HTTP_11, "POST", &lines),
            expected,
            "{lines:?}"
        );
    }
    assert_eq!(
        check_lines(Version::HTTP_10, "POST", &[(te, "chunked")]),
        Err(Refusal::TransferEncoding)
    );
}

#[test]
fn nominations_have_a_limit() {
    let most = vec!["x"; MAX_NOMINATIONS].join(",");
    assert_eq!(
        check_lines(Version::HTTP_11, "GET", &[("connection", &most)]),
        Ok(())
    );
    let lines = [("connection", most.as_str()), ("connection", "x")];
    assert_eq!(
        check_lines(Version::HTTP_11, "GET", &lines),
        Err(Refusal::Nominations)
    );
}

#[test]
fn tunnels_are_refused() {
    assert_eq!(
        check_lines(Version::HTTP_11, "CONNECT", &[]),
        Err(Refusal::Connect)
    );
}

#[test]
fn a_target_has_a_limit() {
    for (target, fits) in [
        (format!("/{}", "x".repeat(63)), true),
        (format!("/{}", "x".repeat(64)), false),
        (format!("/?{}", "x".repeat(62)), true),
        (format!("/?{}", "x".repeat(63)), false),
        (format!("http://a.example/{}", "x".repeat(54)), true),
        (format!("http://a.example/{}", "x".repeat(56)), false),
    ] {
        let request = Request::builder().uri(&target).body(()).unwrap();
        let checked = check(&request.into_parts().0, 64);
        assert_eq!(checked.is_ok(), fits, "{target}");
        if let Err(refusal) = checked {
            assert_eq!(refusal.reason(), Reason::UriTooLong, "{target}");
        }
    }
}
