import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import fastJson from 'fast-json-stringify'
import SrtParser from 'srt-parser-2'
import webvtt from 'webvtt-parser'
import entities from 'webvtt-parser/html-entities.json' with { type: 'json' }
import type { Cue } from '../../server/calls/read/subtitles.ts'
import { Transcript } from '../../server/calls/read/transcript-schema.ts'
import { resourceEnvelope } from '../../server/kit/http/envelope.ts'
import { newId } from '../../server/kit/id.ts'
import { splitWords } from '../../server/talk/words.ts'
import { runs } from '../support/property-runs.ts'
import { spokenTurn } from '../support/recorded-calls.ts'
import { contentOf, cuesOf, wholeTranscript } from '../support/transcripts.ts'

const text = fc.oneof(
  fc.lorem({ maxCount: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.stringMatching(/^[-<>&;a-z0-9\s:.,"']{0,200}$/),
)
const parts = fc.array(
  fc.record({ text, pause_ms: fc.nat(5_000), duration_ms: fc.oneof(fc.nat(20_000), fc.constant(0)) }),
  { maxLength: 4 },
)
const turns = fc.array(
  fc.record({
    role: fc.constantFrom('agent' as const, 'contact' as const, 'human' as const, 'system' as const),
    parts,
    /** How many words were heard, in percent. */
    heard: fc.option(fc.nat(100)),
    /** Turns may begin before the last one has ended. */
    begins_ms: fc.integer({ min: -3_000, max: 3_000 }),
  }),
  { maxLength: 8 },
)

const transcripts = turns.map((turns) => {
  let now_ms = 0
  const spoken = turns.map(({ role, parts, heard, begins_ms }, index) => {
    now_ms = Math.max(0, now_ms + begins_ms)
    const speech = parts.map(({ text, pause_ms, duration_ms }) => {
      const start_ms = now_ms + pause_ms
      now_ms = start_ms + duration_ms
      return { text, start_ms, end_ms: now_ms }
    })
    const words = speech.flatMap(({ text }) => splitWords(text))
    const heard_words = heard === null ? null : words.slice(0, Math.floor((words.length * heard) / 100))
    return spokenTurn({ seq: index + 1, role, speech, heard: heard_words?.join(' ') ?? null })
  })
  return wholeTranscript({ call: { id: newId(), duration_ms: now_ms, is_test: true }, language: 'en', turns: spoken })
})

const withoutSpaces = (text: string): string => text.replace(/\s/g, '')

test('cues are short, in order, never overlap within a voice, and have all that was heard', () => {
  fc.assert(
    fc.property(transcripts, (transcript) => {
      const cues = cuesOf(transcript)
      for (const { text, start_ms, end_ms } of cues) {
        assert.ok(Array.from(text).length <= 84)
        assert.ok(end_ms > start_ms && end_ms - start_ms <= 7_000)
      }
      assert.deepEqual(
        cues.map(({ start_ms }) => start_ms),
        cues.map(({ start_ms }) => start_ms).sort((a, b) => a - b),
      )
      for (const [role, own] of Map.groupBy(cues, ({ role }) => role)) {
        own.reduce((before: Cue | undefined, cue) => {
          assert.ok(!before || before.end_ms <= cue.start_ms)
          return cue
        }, undefined)
        const heard = transcript.turns
          .filter((turn) => turn.role === role)
          .map(({ words, heard }) => heard ?? words.map(({ text }) => text).join(' '))
        assert.equal(withoutSpaces(own.map(({ text }) => text).join('')), withoutSpaces(heard.join('')))
      }
    }),
    runs(),
  )
})

test('another WebVTT parser reads the cues without a complaint', () => {
  const parser = new webvtt.WebVTTParser(entities)
  fc.assert(
    fc.property(transcripts, (transcript) => {
      const { cues, errors } = parser.parse(contentOf(transcript, 'vtt'), 'subtitles/captions/descriptions')
      assert.deepEqual(errors, [])
      const times = ({ start_ms, end_ms }: Cue) => [start_ms, end_ms]
      assert.deepEqual(
        cues.map(({ startTime, endTime }) => [Math.round(startTime * 1_000), Math.round(endTime * 1_000)]),
        cuesOf(transcript).map(times),
      )
      assert.deepEqual(
        cues.map(({ tree }) => textIn(tree)),
        cuesOf(transcript).map(({ text }) => text),
      )
    }),
    runs(),
  )
})

/** The text of a parsed cue, without its tags. */
function textIn(node: unknown): string {
  const { type, value, children = [] }: { type?: string; value?: string; children?: unknown[] } = Object(node)
  return type === 'text' ? (value ?? '') : children.map(textIn).join('')
}

test('another SubRip parser reads the cues', () => {
  const parser = new SrtParser()
  fc.assert(
    fc.property(transcripts, (transcript) => {
      const read = parser.fromSrt(contentOf(transcript, 'srt'))
      assert.deepEqual(
        read.map(({ startSeconds, endSeconds, text }) => [
          Math.round(startSeconds * 1_000),
          Math.round(endSeconds * 1_000),
          text,
        ]),
        cuesOf(transcript).map(({ start_ms, end_ms, text }) => [start_ms, end_ms, text.replace(/-+->/g, '->')]),
      )
    }),
    runs(),
  )
})

test('the same transcript gives the same bytes, and a line for each turn', () => {
  fc.assert(
    fc.property(transcripts, (transcript) => {
      for (const format of ['txt', 'srt', 'vtt'] as const)
        assert.equal(contentOf(transcript, format), contentOf(structuredClone(transcript), format))
      assert.equal(contentOf(transcript, 'txt').split('\n').length, transcript.turns.length + 1)
    }),
    runs(),
  )
})

test('JSON that is written turn by turn has the bytes of a transcript that is serialized at once', () => {
  const stringify = fastJson(JSON.parse(JSON.stringify(resourceEnvelope(Transcript))))
  fc.assert(
    fc.property(transcripts, (transcript) => {
      assert.equal(contentOf(transcript, 'json'), stringify({ success: true, data: transcript }))
    }),
    runs(),
  )
})
