use latchkey_runtime::watch::Tuning;

use super::*;

fn parse(flags: &[&str]) -> Result<Args, clap::Error> {
    Args::try_parse_from(["latchkey-operator"].iter().chain(flags))
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
fn nothing_has_to_be_said() {
    let args = parse(&[]).unwrap();
    assert!(args.leader.leader_elect && args.objects.watch_namespaces.is_empty());
    assert_eq!(args.leader.lease_duration, Duration::from_secs(15));
    assert_eq!(args.objects.pepper_secret, "latchkey-pepper");
    assert_eq!(args.objects.gateway_class, "latchkey");
    assert_eq!(args.objects.concurrency, 16);
    let watching = Tuning::default();
    assert_eq!(args.watches.relist_interval, watching.relist_interval);
    assert_eq!(args.watches.contact_interval, watching.contact_interval);
    assert_eq!(args.objects.min_key_length, DEFAULT_MIN_KEY_LENGTH);
    assert_eq!(args.process.admin, "127.0.0.1:9290".parse().unwrap());
}

#[test]
fn election_can_be_switched_off_and_named_on() {
    for (flag, elects) in [
        ("--leader-elect", true),
        ("--leader-elect=true", true),
        ("--leader-elect=false", false),
    ] {
        assert_eq!(parse(&[flag]).unwrap().leader.leader_elect, elects, "{flag}");
    }
}

#[test]
fn namespaces_come_by_comma() {
    let args = parse(&["--watch-namespaces", "a,b"]).unwrap();
    assert_eq!(args.objects.watch_namespaces, ["a", "b"]);
}

#[test]
fn wrong_values_are_refused_with_what_would_be_right() {
    for (flags, words) in [
        (&["--lease-duration", "15"][..], "a number has no unit"),
        (&["--lease-duration", "500ms"], "from 1s to 1h"),
        (&["--lease-duration", "2h"], "from 1s to 1h"),
        (&["--concurrency", "0"], "1..=256"),
        (&["--relist-interval", "0s"], "more than zero"),
        (&["--contact-interval", "10"], "a number has no unit"),
        (&["--admin", "9290"], "invalid socket address"),
        (&["--watch-namespaces", "a,,b"], "lower-case"),
        (&["--watch-namespaces", "A"], "lower-case"),
        (&["--pepper-secret", "a/b"], "lower-case"),
        (&["--lease-name", ""], "lower-case"),
        (&["--secret-selector", ",,"], "label requirements"),
        (&["--leader-elect=maybe"], "true, false"),
        (&["--min-key-length", "5000"], "1..=4096"),
        (&["--unheard-of"], "unexpected argument"),
    ] {
        let error = parse(flags).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{flags:?}");
        assert!(error.to_string().contains(words), "{flags:?}: {error}");
    }
}
