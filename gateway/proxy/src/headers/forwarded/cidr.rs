//! Networks, as `--trusted-proxies` names them.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A network, such as `10.0.0.0/8` or `2001:db8::/32`. One address alone is a network of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    /// How many leading bits an address shares with the network.
    length: u32,
}

/// Why a text names no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CidrError {
    /// No address, or no number of bits that it has.
    #[error("{0:?} is no network; write one such as 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7")]
    Malformed(String),
    /// The address names a host in the network: which of both is meant?
    #[error("{given} has bits beyond its prefix; write {network} for the network, or the address alone")]
    HostBits {
        /// What was given.
        given: String,
        /// The network that the address is in.
        network: Cidr,
    },
}

impl Cidr {
    /// Whether an address, in its canonical form, is in the network.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        match (self.network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => mask_v4(address, self.length) == network,
            (IpAddr::V6(network), IpAddr::V6(address)) => mask_v6(address, self.length) == network,
            _ => false,
        }
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let malformed = || CidrError::Malformed(text.to_owned());
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let given: IpAddr = address.parse().map_err(|_| malformed())?;
        let address = given.to_canonical();
        let bits = |address: IpAddr| if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => bits(address),
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                let length: u32 = digits.parse().map_err(|_| malformed())?;
                if length > bits(given) {
                    return Err(malformed());
                }
                // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
                length
                    .checked_sub(bits(given) - bits(address))
                    .ok_or_else(malformed)?
            }
            Some(_) => return Err(malformed()),
        };
        let network = match address {
            IpAddr::V4(address) => IpAddr::V4(mask_v4(address, length)),
            IpAddr::V6(address) => IpAddr::V6(mask_v6(address, length)),
        };
        let network = Self { network, length };
        if network.network == address {
            Ok(network)
        } else {
            let given = text.to_owned();
            Err(CidrError::HostBits { given, network })
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.length)
    }
}

impl fmt::Debug for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn mask_v4(address: Ipv4Addr, length: u32) -> Ipv4Addr {
    let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
    Ipv4Addr::from_bits(address.to_bits() & mask)
}

fn mask_v6(address: Ipv6Addr, length: u32) -> Ipv6Addr {
    let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
    Ipv6Addr::from_bits(address.to_bits() & mask)
}

#[cfg(test)]
mod tests;
