import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openShared, skip } from '../support/dashboard.ts'
import { addRecordedCall } from '../support/recorded-calls.ts'

const { server, browser } = await openShared()
const { workspace, pool, url } = server

/** A page of the server's own origin, whose requests have the key. */
async function openPage(key: string) {
  const context = await browser.newContext({
    bypassCSP: true,
    extraHTTPHeaders: { authorization: `Bearer ${key}` },
  })
  after(() => context.close())
  const page = await context.newPage()
  await page.goto(`${url}/health`)
  return page
}

/** Runs in the page: loads the audio, seeks, and plays its end. */
const playing = (source: string) => `(async () => {
  const audio = new Audio(${JSON.stringify(source)})
  audio.muted = true
  const until = (name) => new Promise((resolve, reject) => {
    audio.addEventListener(name, resolve, { once: true })
    audio.addEventListener('error', () => reject(new Error(audio.error.message)), { once: true })
  })
  const loaded = until('loadedmetadata')
  audio.load()
  await loaded
  const sought = until('seeked')
  audio.currentTime = 590
  await sought
  const position = audio.currentTime
  const ended = until('ended')
  await audio.play()
  audio.currentTime = 599.5
  await ended
  return { duration: audio.duration, position, end: audio.currentTime }
})()`

/** Runs in the page. */
const readingCues = (source: string) => `(async () => {
  const video = document.createElement('video')
  const track = document.createElement('track')
  track.src = ${JSON.stringify(source)}
  const loaded = new Promise((resolve, reject) => {
    track.addEventListener('load', resolve)
    track.addEventListener('error', () => reject(new Error('the track was not loaded')))
  })
  video.append(track)
  document.body.append(video)
  track.track.mode = 'showing'
  await loaded
  const textOf = (cue) => [cue.getCueAsHTML().textContent, cue.text.slice(0, 8)]
  return Array.from(track.track.cues, (cue) => [cue.startTime, cue.endTime, ...textOf(cue)])
})()`

test('Chromium plays and seeks a recording with range requests', { skip }, async () => {
  const tenant = await workspace()
  const minutes = 10
  const id = await addRecordedCall(pool, tenant, { duration_ms: minutes * 60_000 })
  const page = await openPage(tenant.key)
  const answers: string[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/recording'))
      answers.push(`${response.status()} ${response.headers()['content-range'] ?? ''}`)
  })
  const played = await page.evaluate(playing(`/api/v1/calls/${id}/recording`))
  assert.deepEqual(played, { duration: 600, position: 590, end: 600 })
  assert.ok(answers.length > 1 && answers.every((answer) => answer.startsWith('206 bytes ')), answers.join('\n'))
})

test("Chromium's <track> reads the subtitles", { skip }, async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant)
  const page = await openPage(tenant.key)
  const cues = await page.evaluate(readingCues(`/api/v1/calls/${id}/transcript?format=vtt`))
  assert.deepEqual(cues, [
    [0, 2.86, 'Hello, this is Reception. How can I help you?', '<v Agent'],
    [3.5, 5.905, 'I would like to book a table for two.', '<v Conta'],
    [6.5, 7.93, 'Very good. Shall I take', '<v Agent'],
    [7.5, 9, 'The window & <thanks>!', '<v Conta'],
  ])
})
