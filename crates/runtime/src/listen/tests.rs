use super::*;

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

#[test]
fn a_busy_port_is_refused_with_address_cause_and_remedy() {
    let addr = listen(loopback())
        .map(|held| (held.local_addr().unwrap(), held))
        .unwrap();
    let message = listen(addr.0).unwrap_err().to_string();
    assert!(message.contains(&addr.0.to_string()), "{message}");
    assert!(
        message.contains("in use") && message.contains("choose another port"),
        "{message}"
    );
}

#[test]
fn a_group_shares_one_port() {
    let group = listen_group(loopback(), 3).unwrap();
    let ports: Vec<u16> = group.iter().map(|one| one.local_addr().unwrap().port()).collect();
    assert_eq!(ports.len(), 3);
    assert!(
        ports[0] != 0 && ports.iter().all(|port| *port == ports[0]),
        "{ports:?}"
    );
}

#[test]
fn a_second_group_on_the_same_port_is_refused() {
    let group = listen_group(loopback(), 2).unwrap();
    let addr = group[0].local_addr().unwrap();
    assert_eq!(
        listen_group(addr, 2).unwrap_err().source.kind(),
        ErrorKind::AddrInUse
    );
}

#[test]
fn an_address_of_nobody_is_refused_with_the_remedy() {
    // TEST-NET-1 (RFC 5737) is nobody's address.
    let message = listen(SocketAddr::from(([192, 0, 2, 1], 0)))
        .unwrap_err()
        .to_string();
    assert!(message.contains("no network interface"), "{message}");
}
