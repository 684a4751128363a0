use super::*;

fn parse(flags: &[&str]) -> Result<Args, clap::Error> {
    Args::try_parse_from(["latchkey-gateway", "--standalone", "/d"].iter().chain(flags))
}

#[test]
fn the_command_is_consistent_and_every_flag_is_explained_grouped_and_in_the_environment() {
    let mut command = Args::command();
    command.build();
    command.clone().debug_assert();
    for arg in command.get_arguments() {
        let name = arg.get_id().as_str();
        if ["help", "version"].contains(&name) {
            continue;
        }
        assert!(arg.get_help().is_some(), "{name} is not explained");
        assert!(arg.get_help_heading().is_some(), "{name} is in no group");
        let variable = format!("LATCHKEY_{}", name.to_uppercase());
        assert_eq!(arg.get_env().and_then(|env| env.to_str()), Some(&variable[..]));
    }
}

#[test]
fn the_defaults_of_the_request_path_are_those_of_the_proxy() {
    let workers = std::num::NonZeroUsize::MIN;
    let ours = parse(&[]).unwrap().proxy.config(workers);
    let theirs = latchkey_proxy::ProxyConfig::default();
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

#[test]
fn trusted_proxies_are_named_one_by_one_or_in_a_list() {
    let trusted = |flags: &[&str]| format!("{:?}", parse(flags).unwrap().proxy.trusted_proxies);
    assert_eq!(trusted(&[]), "[]");
    let flags = [
        "--trusted-proxies",
        "10.0.0.0/8,::1",
        "--trusted-proxies",
        "192.0.2.7",
    ];
    assert_eq!(trusted(&flags), "[10.0.0.0/8, ::1/128, 192.0.2.7/32]");
    for wrong in ["10.1.2.3/8", "10.0.0.0/8,", "all"] {
        let error = parse(&["--trusted-proxies", wrong]).unwrap_err();
        assert!(error.to_string().contains("write"), "{error}");
    }
}

#[test]
fn without_a_folder_an_api_server_is_watched() {
    let args = Args::try_parse_from([
        "latchkey-gateway",
        "--watch-namespaces",
        "shop,bank",
        "--relist-interval",
        "30m",
    ])
    .unwrap();
    assert_eq!(args.source.standalone, None);
    assert_eq!(args.cluster.watch_namespaces, ["shop", "bank"]);
    assert_eq!(args.cluster.pepper_secret, "latchkey-pepper");
    assert_eq!(args.cluster.relist_interval, Duration::from_secs(1800));
    assert_eq!(args.cluster.contact_interval, Duration::from_secs(10));
}

#[test]
fn flags_of_one_mode_are_refused_in_the_other() {
    for flags in [
        ["--kubeconfig", "/k"],
        ["--watch-namespaces", "a"],
        ["--namespace", "a"],
        ["--pepper-secret", "p"],
        ["--relist-interval", "1h"],
        ["--contact-interval", "1s"],
        ["--max-staleness", "1h"],
    ] {
        let error = parse(&flags).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{flags:?}");
        let text = error.to_string();
        assert!(
            text.contains("cannot be used with") && text.contains(flags[0]),
            "{text}"
        );
    }
    for flags in [["--standalone-poll-interval", "1s"], ["--min-key-length", "20"]] {
        let command = ["latchkey-gateway"].iter().chain(&flags);
        let text = Args::try_parse_from(command).unwrap_err().to_string();
        assert!(
            text.contains("required") && text.contains("--standalone"),
            "{text}"
        );
        assert!(parse(&flags).is_ok(), "{flags:?}");
    }
}

#[test]
fn the_index_checks_itself_in_both_modes_unless_that_is_switched_off() {
    let interval = |args: Result<Args, clap::Error>| args.unwrap().source.self_check_interval;
    assert_eq!(interval(parse(&[])), Duration::from_secs(30));
    for (text, expected) in [("0s", Duration::ZERO), ("1m", Duration::from_secs(60))] {
        let flags = ["--self-check-interval", text];
        assert_eq!(interval(parse(&flags)), expected);
        let in_a_cluster = ["latchkey-gateway"].iter().chain(&flags);
        assert_eq!(interval(Args::try_parse_from(in_a_cluster)), expected);
    }
}

#[test]
fn listeners_are_mapped() {
    let args = parse(&[
        "--listen",
        "80=127.0.0.1:8080",
        "--listen",
        "443=[::1]:8443,81=127.0.0.2:0",
    ])
    .unwrap();
    assert_eq!(args.listen.check(), Ok(()));
    let map = args.listen.map();
    assert_eq!(map[&80], "127.0.0.1:8080".parse().unwrap());
    assert_eq!(map[&443], "[::1]:8443".parse().unwrap());
    assert_eq!(map.len(), 3);
}

#[test]
fn wrong_values_are_refused_with_code_2_and_a_remedy() {
    for (flags, words) in [
        (&["--listen", "8080"][..], "as in 80=127.0.0.1:8080"),
        (&["--listen", "0=127.0.0.1:8080"], "1 to 65535"),
        (&["--listen", "80=localhost"], "IP:PORT"),
        (&["--workers", "0"], "1..=1024"),
        (&["--drain-delay", "5"], "has no unit"),
        (&["--connect-timeout", "0s"], "more than zero"),
        (&["--min-key-length", "0"], "1..=4096"),
        (&["--max-head-bytes", "100"], "8192"),
        (&["--gateway-class", ""], "value is required"),
        (&["--unprotected-routes", "maybe"], "allow, deny"),
        (&["--access-log", "some"], "off, denied, all"),
        (&["--unheard-of"], "unexpected argument"),
    ] {
        let error = parse(flags).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{flags:?}");
        assert!(error.to_string().contains(words), "{flags:?}: {error}");
    }
}

#[test]
fn listeners_that_contradict_each_other_are_refused() {
    for (flags, words) in [
        (["80=127.0.0.1:1", "80=127.0.0.1:2"], "port 80 twice"),
        (["80=127.0.0.1:1", "81=127.0.0.1:1"], "both port 80 and port 81"),
    ] {
        let args = parse(&["--listen", flags[0], "--listen", flags[1]]).unwrap();
        let problem = args.listen.check().unwrap_err();
        assert!(problem.contains(words), "{problem}");
    }
}
