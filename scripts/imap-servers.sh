#!/bin/sh
# Brings the IMAP servers that the tests try Kontor against, on Debian 12, as root: Dovecot and Cyrus.
#
#   scripts/imap-servers.sh
#
# The tests start both by themselves, each with a configuration and ports of its own (`test/peers/`).
# Without Dovecot, they name their tests at a real server as skipped.
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

# Debian lets only one IMAP server be installed. So Cyrus's own programs come out of their package, beside Dovecot.
programs=/usr/local/lib/cyrus
if [ ! -x "$programs/imapd" ] && [ ! -x /usr/lib/cyrus/bin/imapd ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  chmod 755 "$folder"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends cyrus-common sasl2-bin
  if [ -d /run/systemd/system ]; then systemctl disable --now cyrus-imapd.service 2> /dev/null || true; fi
  (cd "$folder" && apt-get download -qq cyrus-imapd && dpkg-deb -x cyrus-imapd_*.deb .)
  install -D -m 755 -t "$programs" "$folder"/usr/lib/cyrus/bin/imapd "$folder"/usr/lib/cyrus/bin/idled
fi
echo "Cyrus is here: the tests use it."
