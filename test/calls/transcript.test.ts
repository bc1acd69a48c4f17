import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { serve } from '../support/harness.ts'
import { addRecordedCall, short_talk, spokenTurn } from '../support/recorded-calls.ts'
import { contentOf, cuesOf, wholeTranscript } from '../support/transcripts.ts'

const { workspace, pool } = await serve()

const transcriptOf = (turns = short_talk) =>
  wholeTranscript({ call: { id: newId(), duration_ms: 10_000, is_test: true }, language: 'en', turns })

const vtt = `WEBVTT

1
00:00:00.000 --> 00:00:02.860
<v Agent>Hello, this is Reception. How can I help you?

2
00:00:03.500 --> 00:00:05.905
<v Contact>I would like to book a table for two.

3
00:00:06.500 --> 00:00:07.930
<v Agent>Very good. Shall I take

4
00:00:07.500 --> 00:00:09.000
<v Contact>The window &amp; &lt;thanks&gt;!

`

test('the transcript has each word with its times, in the envelope', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant)
  const { status, body } = await tenant.call('GET', `/calls/${id}/transcript`)
  assert.equal(status, 200)
  const { turns, ...call } = body.data
  assert.deepEqual(call, { call_id: id, language: 'en', duration_ms: 10_000 })
  assert.equal(turns.length, 5)
  assert.deepEqual(Object.keys(turns[0]).sort(), [
    'end_ms',
    'finish_reason',
    'heard',
    'is_interrupted',
    'latency',
    'role',
    'seq',
    'start_ms',
    'text',
    'tools',
    'words',
  ])
  assert.deepEqual([turns[0].start_ms, turns[0].end_ms, turns[4].start_ms], [0, 2_860, null])
  assert.deepEqual(turns[0].words[0], { text: 'Hello,', start_ms: 0, end_ms: 438, timing: 'exact' })
  assert.deepEqual(
    turns[2].words.map(({ text }: { text: string }) => text),
    ['Very', 'good.', 'Shall', 'I', 'take'],
  )
})

test('turns are in the order in which they began, also if the contact finished a sentence after someone took over', () => {
  const spoken = (seq: number, role: 'contact' | 'human', start_ms: number, end_ms: number) =>
    spokenTurn({ seq, role, speech: [{ text: `${role} ${seq}`, start_ms, end_ms }] })
  const transcript = transcriptOf([
    spoken(1, 'human', 4_200, 7_300),
    spoken(2, 'contact', 700, 4_300),
    spokenTurn({ seq: 3, role: 'system', text: 'Handed over.' }),
    spoken(4, 'contact', 5_200, 9_000),
  ])
  assert.deepEqual(
    transcript.turns.map(({ seq }) => seq),
    [2, 1, 4, 3],
  )
  assert.equal(
    contentOf(transcript, 'txt'),
    '[00:00] Contact: contact 2\n[00:04] Person: human 1\n[00:05] Contact: contact 4\n[00:09] System: Handed over.\n',
  )
})

test('times are estimates if the other side was not simulated', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, { is_test: false })
  const { body } = await tenant.call('GET', `/calls/${id}/transcript?format=json`)
  assert.equal(body.data.turns[0].words[0].timing, 'estimated')
})

test('other formats are files with their types, and the same bytes each time', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant)
  const expected = {
    txt: [
      '[00:00] Agent: Hello, this is Reception. How can I help you?',
      '[00:03] Contact: I would like to book a table for two.',
      '[00:06] Agent: Very good. Shall I take—',
      '[00:07] Contact: The window & <thanks>!',
      '[00:09] System: The contact hung up.',
      '',
    ].join('\n'),
    srt: vtt
      .replace('WEBVTT\n\n', '')
      .replace(/<v \w+>/g, '')
      .replace(/(:\d\d)\.(\d{3})/g, '$1,$2')
      .replace('&amp; &lt;thanks&gt;', '& <thanks>'),
    vtt,
  }
  const types = { txt: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' }
  for (const format of ['txt', 'srt', 'vtt'] as const) {
    const answer = await tenant.call('GET', `/calls/${id}/transcript?format=${format}`)
    assert.deepEqual([answer.status, answer.text], [200, expected[format]])
    assert.equal(answer.headers.get('content-type'), `${types[format]}; charset=utf-8`)
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="transcript.${format}"`)
    const again = await tenant.call('GET', `/calls/${id}/transcript?format=${format}`)
    assert.deepEqual([again.text, again.headers.get('etag')], [answer.text, answer.headers.get('etag')])
    const etag = answer.headers.get('etag') ?? ''
    const unchanged = await tenant.call('GET', `/calls/${id}/transcript?format=${format}`, undefined, {
      'if-none-match': etag,
    })
    assert.deepEqual([unchanged.status, unchanged.text], [304, ''])
  }
  assert.equal((await tenant.call('GET', `/calls/${id}/transcript?format=pdf`)).status, 400)
  assert.equal((await tenant.call('HEAD', `/calls/${id}/transcript?format=vtt`)).status, 200)
})

test('transcripts of other workspaces and of unknown calls are not found', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const id = await addRecordedCall(pool, tenant)
  assert.equal((await other.call('GET', `/calls/${id}/transcript`)).status, 404)
  assert.equal((await tenant.call('GET', `/calls/${newId()}/transcript?format=vtt`)).status, 404)
})

test('subtitles show only what was heard', () => {
  const speech = [{ text: 'We are open from nine to five.', start_ms: 0, end_ms: 3_000 }]
  const [cue, ...more] = cuesOf(transcriptOf([spokenTurn({ seq: 1, role: 'agent', heard: 'We are open', speech })]))
  assert.deepEqual([cue?.text, more], ['We are open', []])
  assert.deepEqual(cuesOf(transcriptOf([spokenTurn({ seq: 1, role: 'agent', heard: '', speech })])), [])
})

test('what was said by a person, and after an hour, is shown as such', () => {
  const speech = [{ text: 'Still here.', start_ms: 3_725_000, end_ms: 3_726_000 }]
  const transcript = transcriptOf([spokenTurn({ seq: 1, role: 'human', speech })])
  assert.equal(contentOf(transcript, 'txt'), '[1:02:05] Person: Still here.\n')
  assert.match(contentOf(transcript, 'vtt'), /01:02:05\.000 --> 01:02:06\.000\n<v Person>Still here\.\n/)
})

test('an arrow in what was said begins no cue', () => {
  const speech = [{ text: 'Left --> right ----> left', start_ms: 0, end_ms: 1_000 }]
  const transcript = transcriptOf([spokenTurn({ seq: 1, role: 'agent', speech })])
  for (const format of ['srt', 'vtt'] as const) assert.equal(contentOf(transcript, format).split('-->').length, 2)
})
