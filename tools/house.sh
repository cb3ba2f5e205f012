#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the commands at the root share. They source this file from the root of the repository.

# Prints the packages of tools/packages that are not installed.
missing_packages() {
  local wanted
  wanted=$(sed 's/#.*//' tools/packages)
  # shellcheck disable=SC2086  # one word per package
  comm -23 <(printf '%s\n' $wanted | sort) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

# Whether the person at the terminal agrees to the question in $1.
agrees() {
  local answer
  read -r -p "$1 [y/N] " answer
  [[ $answer == [yY] || $answer == [yY]es ]]
}

# Whether sudo may be used: a terminal is asked, elsewhere sudo must need no password.
may_use_sudo() {
  command -v sudo >/dev/null || return 1
  if [[ -t 0 ]]; then
    agrees "Install them now with sudo?"
  else
    sudo -n true 2>/dev/null
  fi
}

# Installs the packages that are missing, or says exactly what to do.
ensure_packages() {
  local missing as_root=()
  if ! command -v dpkg-query >/dev/null; then
    echo "Weir is built on Debian 12; its packages are listed in tools/packages." >&2
    return 1
  fi
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    return 0
  fi
  echo "These Debian packages are missing: ${missing[*]}"
  if ((EUID != 0)); then
    if ! may_use_sudo; then
      echo "As root:" >&2
      echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "installing them"
  "${as_root[@]}" apt-get -qq update >/dev/null
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --no-install-recommends -y "${missing[@]}" >/dev/null
}
