#!/bin/sh
# Brings the IMAP server that the tests try Kontor against, on Debian 12, as root.
#
#   scripts/imap-servers.sh
#
# The tests start Dovecot by themselves, each with a configuration and ports of its own (test/dovecot.ts). Without it,
# they name their tests at a real server as skipped.
set -eu

fail() { echo "$*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "Run this as root: Dovecot gives each of its processes a user of its own."
command -v apt-get > /dev/null || fail "This needs Debian's apt-get. Elsewhere, install Dovecot 2.3 yourself."

version() { PATH="$PATH:/usr/sbin" dovecot --version 2> /dev/null || true; }
if [ -z "$(version)" ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends dovecot-imapd
  # The package starts a server for the machine's users, which nobody asked for.
  if [ -d /run/systemd/system ]; then systemctl disable --now dovecot.service; fi
fi

case $(version) in
  2.3.*) echo "Dovecot $(version) is here: the tests use it." ;;
  *) fail "Dovecot '$(version)' is here, and the tests need 2.3: its configuration has another form since 2.4." ;;
esac
