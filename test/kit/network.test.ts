import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, isInNetwork, parseAddress, parseNetwork } from '../../server/kit/network.ts'

const addresses: [string, string | undefined][] = [
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::ffff:102:304', '1.2.3.4'],
  ['FE80::A%eth0', 'fe80::a'],
  ['fe80::1%eth-0.1', 'fe80::1'],
  ['010.0.0.1', undefined],
  ['127.1', undefined],
  ['0x7f.1', undefined],
  ['2130706433', undefined],
  ['::ffff:010.0.0.1', undefined],
  ['fe80::1%', undefined],
  ['1.2.3.4/8', undefined],
  ['', undefined],
]
for (const [text, expected] of addresses) {
  test(`"${text}" is ${expected ? `the address ${expected}` : 'not an address'}`, () => {
    assert.equal(parseAddress(text)?.toString(), expected)
  })
}

const networks: [string, string | undefined][] = [
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['10.0.0.0/08', '10.0.0.0/8'],
  ['1.2.3.4', '1.2.3.4/32'],
  ['::ffff:1.2.3.4', '1.2.3.4/32'],
  ['::1', '::1/128'],
  ['fd00::%eth0/8', 'fd00::/8'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['1.2.3.4/33', undefined],
  ['::1/129', undefined],
  ['1.2.3.4/', undefined],
  ['1.2.3.4/-1', undefined],
  ['1.2.3.4/8/8', undefined],
  ['010.0.0.0/8', undefined],
  ['10/8', undefined],
]
for (const [text, expected] of networks) {
  test(`"${text}" is ${expected ? `the network ${expected}` : 'not a network'}`, () => {
    const network = parseNetwork(text)
    assert.equal(network && `${network.base.toString()}/${network.prefix_bits}`, expected)
  })
}

const members: [string, string, boolean][] = [
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['::ffff:10.0.0.1', '10.0.0.1', true],
  ['::ffff:10.0.0.1', '10.0.0.2', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['0.0.0.0/0', '::1', false],
  ['::/0', '1.2.3.4', false],
]
for (const [text, ip, is_in] of members) {
  test(`${ip} is ${is_in ? '' : 'not '}in ${text}`, () => {
    const [network, address] = [parseNetwork(text), parseAddress(ip)]
    assert.ok(network && address)
    assert.equal(isInNetwork(address, network), is_in)
  })
}

test('the network of a client is its /64, or its IPv4 address', () => {
  assert.equal(clientNetwork('2001:DB8:1:2:3::1%eth0'), '2001:db8:1:2::/64')
  assert.equal(clientNetwork('2001:db8::'), '2001:db8:0:0::/64')
  assert.equal(clientNetwork('::ffff:1.2.3.4'), '1.2.3.4')
  assert.equal(clientNetwork('010.0.0.1'), '010.0.0.1')
  assert.equal(clientNetwork('unknown'), 'unknown')
})
