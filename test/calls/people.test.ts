import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance, getCall, newCaller, newTestCalls, placeCall } from '../support/calls.ts'
import { serve } from '../support/harness.ts'

const server = await serve()

/** How each person ends, as `status/outcome/end_reason`. */
const ends: Record<string, RegExp> = {
  '00': /^completed\/answered\/(goal_reached|agent_hung_up)$/,
  '01': /^failed\/no_answer\/not_answered$/,
  '02': /^failed\/busy\/not_answered$/,
  '03': /^failed\/rejected\/not_answered$/,
  '04': /^failed\/invalid_number\/carrier_error$/,
  '05': /^completed\/voicemail\/(voicemail_left|voicemail_hung_up)$/,
  '06': /^completed\/voicemail\/voicemail_hung_up$/,
  '07': /^completed\/screened\/(contact_hung_up|agent_hung_up)$/,
  '08': /^completed\/menu\//,
  '09': /^completed\/answered\/silence$/,
  '10': /^completed\/answered\//,
  '11': /^completed\/answered\/opted_out$/,
  '12': /^completed\/answered\//,
  '13': /^completed\/answered\//,
  '14': /^completed\/answered\/contact_hung_up$/,
  '15': /^completed\/answered\/max_duration$/,
  '16': /^failed\/error\/carrier_error$/,
  '17': /^failed\/unknown\/carrier_silent$/,
  '18': /^completed\/answered\//,
  '19': /^completed\/answered\//,
}

test('each simulated person ends as documented', async (t) => {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const calls = await Promise.all(
    Object.keys(ends).map((person) => placeCall(tenant, { agent_id, to: `+141555501${person}` })),
  )
  await advance(tenant, 3_600)
  for (const [index, [person, expected]] of Object.entries(ends).entries()) {
    await t.test(person, async () => {
      const { status, outcome, end_reason } = await getCall(tenant, calls[index].id)
      assert.match(`${status}/${outcome}/${end_reason}`, expected)
    })
  }
})
