import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, test } from 'node:test'
import { isPublicHost, type OutboundOptions, openOutbound } from '../../server/kit/outbound/outbound.ts'
import { inSeconds, toOutboundError } from '../../server/kit/outbound/request.ts'
import { serve } from '../support/harness.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newWebhook } from '../support/samples.ts'

const { workspace } = await serve()

function outbound(options: Partial<OutboundOptions> = {}) {
  const opened = openOutbound({ allowed: [], ...options })
  after(() => opened.close())
  return opened
}

const message = { headers: {}, body: '{}', timeout_ms: 10_000, bytes_max: 1024 }

/** Spellings of private addresses. Each must be refused when a webhook is created, and again at the connection. */
const private_hosts = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '017700000001',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.1.1',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:a00:1]',
  '[::127.0.0.1]',
  '[::a9fe:a9fe]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[100::1]',
  '[::ffff:0:127.0.0.1]',
  '[3fff::1]',
  '[4000::1]',
]

for (const host of private_hosts) {
  test(`http://${host}/ is private: refused at creation and at the connection`, async () => {
    const tenant = await workspace()
    const url = `http://${host}/hook`
    const refused = await tenant.call('POST', '/webhooks', newWebhook({ url }))
    assert.equal(refused.status, 400, refused.text)
    assert.deepEqual(
      refused.body.error.details.fields.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [['url', 'format']],
    )
    await assert.rejects(outbound().send(url, message), /public address/)
  })
}

const public_hosts = [
  '93.184.215.14',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '[2606:4700:4700::1111]',
  '[2a00:1450::1]',
]
for (const host of public_hosts) {
  test(`http://${host}/ is public`, async () => {
    assert.equal(await outbound().refusal(`http://${host}/`), undefined)
  })
}

const invalid_urls = [
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:,x',
  'http:',
  'https://',
  'https://user@93.184.215.14/',
  'https://user:pass@93.184.215.14/',
  'https://93.184.215.14/#part',
  '//93.184.215.14/',
  '/inbox/mine',
  '93.184.215.14',
  'http://[::1',
  'http://256.1.1.1/',
  'http://1.2.3.4.5/',
  '',
]
for (const url of invalid_urls) {
  test(`"${url}" is not a URL for a webhook`, async () => {
    const tenant = await workspace()
    const refused = await tenant.call('POST', '/webhooks', newWebhook({ url }))
    assert.equal(refused.status, 400, refused.text)
    const { id } = (await tenant.call('POST', '/webhooks', newWebhook())).body.data
    assert.equal((await tenant.call('PATCH', `/webhooks/${id}`, { url })).status, 400)
  })
}

test('a host name is refused when one of its addresses is private', async () => {
  const found: Record<string, string[]> = {
    'public.test': ['93.184.215.14', '2606:4700:4700::1111'],
    'both.test': ['93.184.215.14', '127.0.0.1'],
    'six.test': ['93.184.215.14', '::ffff:10.0.0.1'],
  }
  const { refusal, send } = outbound({ resolve: async (name) => found[name] ?? [] })
  assert.equal(await refusal('https://public.test/'), undefined)
  for (const name of ['both.test', 'six.test']) {
    assert.match((await refusal(`https://${name}/`)) ?? '', /public address/)
    await assert.rejects(send(`http://${name}/`, message), /public address/)
  }
})

test('a refusal names the setting that allows private addresses, and not the address', async () => {
  const { refusal, send } = outbound({ resolve: async () => ['10.20.30.40'] })
  const refused = await refusal('https://inside.test/')
  const failed = await send('http://inside.test/', message).then(String, String)
  for (const text of [refused ?? '', failed]) {
    assert.match(text, /OUTBOUND_ALLOW_HOSTS/)
    assert.doesNotMatch(text, /10\.20/)
  }
})

test('a host name that changes to a private address is refused at the connection', async () => {
  const there = await receiver()
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const { refusal, send } = outbound({ resolve: async () => answers.shift() ?? [] })
  const url = there.url.replace('127.0.0.1', 'rebound.test')
  assert.equal(await refusal(url), undefined)
  await assert.rejects(send(url, message), /public address/)
  assert.deepEqual(there.received, [])
})

test('the connection uses the address that was checked: the name is resolved once', async () => {
  const there = await receiver()
  const answers = [['127.0.0.1'], ['192.0.2.1']]
  const { send } = outbound({ allowed: ['127.0.0.0/8'], resolve: async () => answers.shift() ?? [] })
  const reply = await send(there.url.replace('127.0.0.1', 'name.test'), message)
  assert.equal(reply.status, 200)
  assert.deepEqual(answers, [['192.0.2.1']])
  assert.match(there.received[0]?.headers.host ?? '', /^name\.test:\d+$/)
})

test('a host name that is not found is accepted at creation, and fails at the connection', async () => {
  const missing = Object.assign(new Error('gone'), { code: 'ENOTFOUND' })
  const { refusal, send } = outbound({ resolve: () => Promise.reject(missing) })
  assert.equal(await refusal('https://nowhere.test/'), undefined)
  await assert.rejects(send('https://nowhere.test/', message), /was not found/)
})

test('a host name without addresses fails like one that is not found', async () => {
  for (const allowed of [[], ['nowhere.test']]) {
    const { refusal, send } = outbound({ allowed, resolve: async () => [] })
    assert.equal(await refusal('https://nowhere.test/'), undefined)
    await assert.rejects(send('https://nowhere.test/', message), /was not found/)
  }
})

const allowed: [string, string, boolean][] = [
  ['127.0.0.1', 'http://127.0.0.1/', true],
  ['127.0.0.1', 'http://127.0.0.2/', false],
  ['10.0.0.0/8', 'http://10.255.0.1/', true],
  ['10.0.0.0/8', 'http://11.0.0.1/', true],
  ['10.0.0.0/8', 'http://192.168.0.1/', false],
  ['10.0.0.0/8', 'http://[::ffff:10.0.0.1]/', true],
  ['::1', 'http://[::1]/', true],
  ['::1', 'http://127.0.0.1/', false],
  ['fd00::/8', 'http://[fd12::1]/', true],
  ['intern.test', 'http://intern.test/', true],
  ['intern.test', 'http://INTERN.test/', true],
  ['intern.test', 'http://other.intern.test/', false],
  ['intern.test', 'http://10.0.0.1/', false],
]
for (const [network, url, is_allowed] of allowed) {
  test(`with OUTBOUND_ALLOW_HOSTS=${network}, ${url} is ${is_allowed ? 'allowed' : 'refused'}`, async () => {
    const { refusal } = outbound({ allowed: [network], resolve: async () => ['10.0.0.1'] })
    assert.equal((await refusal(url)) === undefined, is_allowed)
  })
}

const broken: [string, string, RegExp][] = [
  ['is shorter than it says', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort', /^The connection was closed before/],
  [
    'has two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 9\r\ncontent-length: 8\r\n\r\n',
    /^The response has another length than its header says\.$/,
  ],
  ['is no HTTP', 'hello there\r\n\r\n', /^The response was not HTTP\.$/],
]
for (const [what, answer, expected] of broken) {
  test(`a response that ${what} fails in words that people can read`, async () => {
    const { url, close } = await rawServer(answer)
    const opened = outbound({ allowed: ['127.0.0.1'] })
    await assert.rejects(opened.send(url, message), { message: expected })
    close()
  })
}

async function rawServer(answer: string) {
  const there = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
  await once(there.listen(0, '127.0.0.1'), 'listening')
  const { port } = there.address() as net.AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => there.close() }
}

const codes: [string, string][] = [
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'The response has another length than its header says.'],
  ['HPE_INVALID_CONSTANT', 'The response was not HTTP.'],
  ['CERT_HAS_EXPIRED', "The server's certificate is not accepted: CERT_HAS_EXPIRED."],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "The server's certificate is not accepted: ERR_TLS_CERT_ALTNAME_INVALID."],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'The server does not speak TLS as expected.'],
  ['EHOSTUNREACH', "The server can't be reached."],
  ['SOMETHING', 'The request could not be sent: SOMETHING.'],
]
test('codes of errors are put into words', () => {
  for (const [code, expected] of codes)
    assert.equal(toOutboundError(Object.assign(new Error('x'), { code })).message, expected)
})

test('a limit that is left of another is told in seconds that people can read', () => {
  const told = [29_999.997237999924, 500, 50.4, 1_234.5, 999.96, 30_000].map(inSeconds)
  const expected = ['30 seconds', '0.5 seconds', '0.05 seconds', '1.2 seconds', '1 seconds', '30 seconds']
  assert.deepEqual(told, expected)
})

test('a redirect is returned and not followed', async () => {
  const secret = await receiver()
  const there = await receiver(respondWith(307, { location: secret.url }))
  const { send } = outbound({ allowed: ['127.0.0.1'] })
  assert.equal((await send(there.url, message)).status, 307)
  assert.deepEqual(secret.received, [])
})

test('a host is public unless its name or address belongs to a private network', () => {
  for (const host of [
    'parley.example.com',
    '93.184.215.14',
    '[2606:4700::1111]',
    'local.example',
    'xn--bcher-kva.example',
  ])
    assert.equal(isPublicHost(host), true, host)
  for (const host of [
    'localhost',
    'parley',
    'parley.',
    'a.localhost',
    'printer.local',
    'api.internal',
    'nas.home.arpa',
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.10',
    '169.254.1.1',
    '100.64.0.1',
    '[::1]',
    '[fd00::1]',
  ])
    assert.equal(isPublicHost(host), false, host)
})
