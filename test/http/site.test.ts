import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../support/harness.ts'

const { fetch } = await serve()
const html = { accept: 'text/html,application/xhtml+xml' }

test('every URL outside the API shows the dashboard to browsers', async () => {
  for (const path of ['/', '/sign-in', '/w/some/contacts?search=ada', '/setup/token']) {
    const { status, headers, text } = await fetch('GET', path, undefined, html)
    assert.equal(status, 200, path)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-cache')
    assert.match(text, /<div id="root">/)
  }
  assert.equal((await fetch('HEAD', '/')).status, 200)
})

test('unknown API paths and files get 404, and so do clients that accept no HTML', async () => {
  for (const path of ['/api', '/api/v1/nowhere', '/v1/nowhere', '/app', '/app/calls', '/assets/nothing.js']) {
    assert.equal((await fetch('GET', path, undefined, html)).body.error.code, 'NOT_FOUND', path)
  }
  assert.equal((await fetch('GET', '/sign-in')).status, 404, 'a client that accepts no HTML gets no page')
  assert.equal((await fetch('POST', '/', '', html)).status, 404)
})

test('the page loads scripts and styles only from this server and has none inline', async () => {
  const { headers, text } = await fetch('GET', '/')
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(policy, /unsafe/)
  assert.doesNotMatch(text, /<script>|<style|\son\w+=/)
})

test('files are compressed, and cached for a year if their names contain a hash', async () => {
  const { text } = await fetch('GET', '/')
  const [name = ''] = /assets\/index-[^"]+\.js/.exec(text) ?? []
  const lengths = await Promise.all(
    ['br', 'gzip', 'identity'].map(async (encoding) => {
      const { status, headers } = await fetch('HEAD', `/${name}`, undefined, { 'accept-encoding': encoding })
      assert.equal(status, 200)
      assert.equal(headers.get('content-encoding'), encoding === 'identity' ? null : encoding)
      assert.equal(headers.get('vary'), 'accept-encoding')
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
      return Number(headers.get('content-length'))
    }),
  )
  const [br = 0, gzip = 0, plain = 0] = lengths
  assert.ok(0 < br && br < gzip && gzip < plain, String(lengths))
  const kept = await fetch('HEAD', '/assets/color-scheme.js')
  assert.equal(kept.headers.get('cache-control'), 'no-cache')
})

test('If-None-Match with the current ETag gets 304', async () => {
  const etag = (await fetch('GET', '/')).headers.get('etag') ?? ''
  const again = await fetch('GET', '/', undefined, { 'if-none-match': etag })
  assert.deepEqual([again.status, again.text], [304, ''])
  assert.equal((await fetch('GET', '/', undefined, { 'if-none-match': '"another"' })).status, 200)
})

test('the base element has the path of the public URL', async () => {
  const server = await serve({ public_url: 'https://example.com/parley' })
  assert.match((await server.fetch('GET', '/')).text, /<base href="\/parley\/"/)
})
