import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOMParser, type Element } from '@xmldom/xmldom'
import twilio from 'twilio'
import * as twiml from '../../server/lines/twilio/twiml.ts'

/** Documents are equal if they are the same tree, however they are written. */
function read(text: string): unknown {
  const { documentElement } = new DOMParser().parseFromString(text, 'text/xml')
  return documentElement && toTree(documentElement)
}

const toTree = (element: Element): unknown => ({
  name: element.nodeName,
  attributes: Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]).sort()),
  // The type 1 is an element's.
  children: Array.from(element.childNodes, (node) => (node.nodeType === 1 ? toTree(node as Element) : node.nodeValue)),
})

/** As the official package writes it. */
function official(build: (response: InstanceType<typeof twilio.twiml.VoiceResponse>) => void): unknown {
  const response = new twilio.twiml.VoiceResponse()
  build(response)
  return read(response.toString())
}

const next_url = 'https://parley.example.com/phone/a/calls/b?after=<&\'"'
const url = 'wss://parley.example.com/phone'

test('a call goes on over a stream, and asks again after it', () => {
  assert.deepEqual(
    read(twiml.connectTo({ url, token: 'to<k>en&"', next_url, waits: false })),
    official((response) => {
      response.connect().stream({ url }).parameter({ name: 'token', value: 'to<k>en&"' })
      response.redirect({ method: 'POST' }, next_url)
    }),
  )
})

test('a stream says what was done before, and waits for room', () => {
  assert.deepEqual(
    read(twiml.connectTo({ url, token: 'token', after: 'digits', next_url, waits: true })),
    official((response) => {
      response.pause({ length: 1 })
      const stream = response.connect().stream({ url })
      stream.parameter({ name: 'token', value: 'token' })
      stream.parameter({ name: 'after', value: 'digits' })
      response.redirect({ method: 'POST' }, next_url)
    }),
  )
})

test('digits are pressed one after the other', () => {
  assert.deepEqual(
    read(twiml.pressDigits('1*#', next_url)),
    official((response) => {
      response.play({ digits: 'w1w*w#' })
      response.redirect({ method: 'POST' }, next_url)
    }),
  )
})

test('a number is dialled for a transfer, and its answer reported', () => {
  const answered_url = 'https://parley.example.com/phone/a/calls/b?after=answered'
  assert.deepEqual(
    read(twiml.dial('+14155550111', { next_url, answered_url })),
    official((response) => {
      const dial = response.dial({ action: next_url, timeout: 30, answerOnBridge: true })
      dial.number({ statusCallback: answered_url, statusCallbackEvent: ['answered'] }, '+14155550111')
    }),
  )
})

test('a call is hung up, rejected or left alone', () => {
  const hung_up = official((response) => response.hangup())
  const rejected = official((response) => response.reject())
  const busy = official((response) => response.reject({ reason: 'busy' }))
  assert.deepEqual([twiml.hangUp(), twiml.reject(), twiml.reject('busy'), twiml.nothing()].map(read), [
    hung_up,
    rejected,
    busy,
    official(() => {}),
  ])
})
