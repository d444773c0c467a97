#!/bin/sh
# Removes from the packages of the image what only developers need: sh deploy/shrink.sh <folder of node_modules>
set -eu
cd "$1"

# Only a test and a loader that Kontor does not use need TypeScript.
rm -rf typescript .cache

# Source maps, type declarations, sources of compiled packages (Node runs no TypeScript below node_modules), pages, and
# archives for linking C programs with PostgreSQL.
find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' -o -name '*.a' \) -delete

# Tests, measurements and examples of packages. A package may have such a name too, so only folders without a manifest go.
find . -mindepth 2 -type d \
  \( -name test -o -name tests -o -name __tests__ -o -name benchmark -o -name benchmarks -o -name examples -o -name .github \) \
  -prune -exec sh -c 'for folder; do [ -e "$folder/package.json" ] || rm -rf "$folder"; done' sh {} +

# Node's headers, and the package from which its program was linked or copied.
rm -rf node/node_modules

# The symbols of Node's own functions, which only a debugger reads. Written anew, because the file may have other links.
if command -v strip > /dev/null; then
  strip -s -o node/bin/node.small node/bin/node
  mv node/bin/node.small node/bin/node
fi
