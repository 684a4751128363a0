//! Who decides the host, and that it decides no connection (O-D4).

use std::net::{Ipv6Addr, SocketAddr, TcpListener};

use crate::harness::{Gateway, Upstream};

#[test]
fn a_host_that_is_not_one_host_is_refused() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for request in [
        "GET /open HTTP/1.1\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a.example..\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
        "GET http://internal.example/open HTTP/1.1\r\nHost: public.example\r\n\r\n",
        "GET http://public.example/open HTTP/1.1\r\nHost: internal.example\r\n\r\n",
        "GET http://a:81/open HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://user@a/open HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://a/open HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET https://a/open HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/open HTTP/1.1\r\n\r\n",
    ] {
        let mut client = gateway.connect();
        let answer = client.ask(request);
        assert_eq!(
            (answer.status(), answer.reason().as_str()),
            (400, "bad_request"),
            "{request}"
        );
        assert!(client.is_closed(), "{request}");
    }
    assert!(upstream.requests().is_empty());
}

/// Whatever the request names, the connection goes where the route says.
#[test]
fn the_clients_host_is_passed_on_and_never_connected_to() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for (target, host) in [
        ("/open", "A.Example.:8080"),
        ("/open", "[::1]"),
        ("/open", "[::1]:8080"),
        ("/open", "127.0.0.1:1"),
        ("/open", "a.example:"),
        ("http://a.example/open", "A.EXAMPLE:80"),
    ] {
        let answer = gateway.ask(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(answer.status(), 200, "{host}");
        let request = upstream.requests().pop().unwrap();
        assert_eq!(request.field("host").as_deref(), Some(host));
        assert_eq!(request.target(), "/open", "absolute form becomes origin form");
    }
}

/// Bytes that no host has, and forms in which other readers may find another one.
#[test]
fn bytes_that_are_no_host_go_no_further() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for line in [
        &b"Host: a\0"[..],
        b"Host: a\0b",
        b"Host: \xff",
        b"Host: b\xc3\xbccher.example",
        b"Host: a b",
        b"Host: a\tb",
        b"Host: a\r\n b",
        b"Host : a",
        b"\tHost: a",
        b"Host\0: a",
        b"Host: a/",
        b"Host: a\\b",
        b"Host: a?b",
        b"Host: %61",
        b"Host: http://a",
        b"Host: a:80:80",
        b"Host: a:+80",
        b"Host: a:65536",
        b"Host: a:x",
        b"Host: .a",
        b"Host: [::1",
        b"Host: ::1",
        b"Host: [::1]8080",
        b"Host: [fe80::1%25lo]",
        b"Host: [a.example]",
        b"Host: a;b",
        b"Host: a\r\nHost : a",
        b"Host: a\r\nhost: A",
    ] {
        let shown = line.escape_ascii();
        let mut client = gateway.connect();
        let answer = client.ask([b"GET /open HTTP/1.1\r\n", line, b"\r\n\r\n"].concat());
        assert_eq!(answer.status(), 400, "{shown}");
        assert!(client.is_closed(), "{shown}");
    }
    assert!(upstream.requests().is_empty());
}

/// Brackets are for Host lines; an address is dialled without them.
#[test]
fn an_endpoint_may_have_an_address_of_ipv6() {
    let any = SocketAddr::from((Ipv6Addr::LOCALHOST, 0));
    if TcpListener::bind(any).is_err() {
        // This machine has no IPv6.
        return;
    }
    let upstream = Upstream::at(any);
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.ask("GET /open HTTP/1.1\r\nHost: [2001:DB8::1]:8080\r\n\r\n");
    assert_eq!(answer.status(), 200);
    let old = gateway.ask("GET /open HTTP/1.0\r\n\r\n");
    assert_eq!(old.status(), 200);
    let requests = upstream.requests();
    assert_eq!(requests[0].field("host").as_deref(), Some("[2001:DB8::1]:8080"));
    assert_eq!(requests[1].field("host"), Some(upstream.address.to_string()));
}

#[test]
fn an_old_client_may_name_no_host() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.ask("GET /open HTTP/1.0\r\n\r\n");
    assert_eq!(answer.status(), 200);
    let request = upstream.requests().pop().unwrap();
    assert!(
        request.head.starts_with("GET /open HTTP/1.1\r\n"),
        "{}",
        request.head
    );
    assert_eq!(request.field("host"), Some(upstream.address.to_string()));
}
