import { describe, expect, test } from 'vitest';
import { isInNetworks, isPrivateAddress, isPublicAddress, parseNetwork } from './networks.ts';

describe('addresses of the Internet at large', () => {
  test.each(['8.8.8.8', '93.184.215.14', '2606:2800:220:1:248:1893:25c8:1946', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
    '%s is one',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ['this machine', ['127.0.0.1', '127.8.9.1', '::1', '0.0.0.0', '0.1.2.3', '::']],
    ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1']],
    ['link-local addresses and cloud metadata', ['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '168.63.129.16']],
    ['providers’ own networks', ['100.64.0.1', '100.100.100.200', '100.127.255.255']],
    ['multicast and broadcast', ['224.0.0.1', '239.1.1.1', '255.255.255.255', 'ff02::1']],
    [
      'nobody',
      ['192.0.2.1', '198.18.0.1', '203.0.113.9', '240.0.0.1', '192.0.0.192', '2001:db8::1', 'fec0::1', '4000::1'],
    ],
    ['IPv4 in IPv6', ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe']],
    ['IPv4 behind a tunnel', ['2002:7f00:1::', '2002:808:808::1', '2001:0:7f00:1::', '::127.0.0.1', '64:ff9b:1::1']],
  ])('exclude %s', (_whose, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

test('private networks are those of our own machines, and no tunnel that strangers may come through', () => {
  const ours = ['127.0.0.1', '::1', '10.1.2.3', '::ffff:192.168.1.1', 'fd00::1', '100.64.0.1', '169.254.1.1'];
  expect(ours.filter((address) => !isPrivateAddress(address))).toEqual([]);
  const others = ['2002:808:808::1', '2001:0:808:808::1', '64:ff9b::808:808', '64:ff9b:1::1', '203.0.113.9', '8.8.8.8'];
  expect(others.filter(isPrivateAddress)).toEqual([]);
});

describe('networks', () => {
  test('are written with a prefix, or as one address', () => {
    const networks = ['10.0.0.0/8', '192.168.1.7', 'fd00::/8'].map((text) => parseNetwork(text)!);
    const inside = ['10.1.2.3', '::ffff:10.1.2.3', '192.168.1.7', 'fd12::1'];
    expect(inside.filter((address) => !isInNetworks(address, networks))).toEqual([]);
    const outside = ['11.0.0.1', '192.168.1.8', '::1', 'fe80::1'];
    expect(outside.filter((address) => isInNetworks(address, networks))).toEqual([]);
  });

  test('refuse any other text', () => {
    for (const text of ['', 'localhost', '10/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', '0x7f.1'])
      expect([text, parseNetwork(text)]).toEqual([text, undefined]);
  });
});
