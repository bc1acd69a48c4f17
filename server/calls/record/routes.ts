import { findConfiguration } from '../../agents/find-version.ts'
import { authorOf } from '../../agents/schema.ts'
import { listSpoken } from '../../conversations/turns.ts'
import type { At } from '../../kit/at.ts'
import { ById } from '../../kit/field.ts'
import * as operation from '../../kit/http/operation.ts'
import { file_types, type LazyTranscript, toContent, transcribe } from '../read/transcript.ts'
import { Transcript, TranscriptQuery } from '../read/transcript-schema.ts'
import { Call, callVersion } from '../schema.ts'
import * as calls from '../store.ts'
import { deleteRecording, openRecording } from './recording.ts'

const path = '/calls/:id/recording'

async function readTranscript(at: At, id: string): Promise<LazyTranscript> {
  const call = await calls.get(at, id)
  const { agent_id, agent_version, conversation_id } = call
  const [configuration, turns] = await Promise.all([
    agent_version.id === null ? undefined : findConfiguration(at, { agent_id, version_id: agent_version.id }),
    conversation_id === null ? [] : listSpoken(at, conversation_id),
  ])
  return transcribe({ call, language: configuration?.language ?? null, turns })
}

function authorText(caller: operation.Caller): string {
  const { kind, id } = authorOf(caller)
  return `${kind} ${id}`
}

export const operations: operation.Operation[] = [
  operation.get({
    id: 'calls.get_transcript',
    path: '/calls/:id/transcript',
    scope: 'calls:read',
    tool: {
      name: 'get_call_transcript',
      description: 'Returns what was said in a call as text.',
      without: ['format'],
      fixed: { format: 'txt' },
    },
    summary: 'Get the transcript of a call',
    description:
      'What was said so far, with the times of each word. `text` is what was to be said, and `heard` what was heard of it. ' +
      'Subtitles have cues of at most 7 seconds and 84 characters.',
    params: ById,
    query: TranscriptQuery,
    response: Transcript,
    file_types: Object.values(file_types).map((type) => type.replace(/;.*/, '')),
    runInPieces: async (at, { params, query: { format = 'json' } }) =>
      toContent(await readTranscript(at, params.id), format),
  }),
  operation.file({
    id: 'calls.get_recording',
    path,
    scope: 'recordings:read',
    summary: 'Download the recording of a call',
    description:
      'A WAV file with two channels, the contact left and the agent right, as long as the call. The recording of a simulated call is ' +
      'rendered when you request it for the first time. If that takes longer than 20 seconds, you get 409 with ' +
      '`details.reason` `rendering`: try again after `Retry-After` seconds.',
    params: ById,
    errors: ['INVALID_STATE'],
    file: { content_type: 'audio/wav', name: 'recording.wav' },
    open: (at, { params }) => openRecording(at, params.id),
  }),
  operation.write({
    id: 'calls.delete_recording',
    method: 'DELETE',
    path,
    scope: 'recordings:write',
    erases: true,
    summary: 'Delete the recording of a call',
    description: 'For good. The call and its transcript stay. In the dashboard only owners may do this.',
    params: ById,
    response: Call,
    version: callVersion,
    run: (at, { params, caller, isCurrent }) =>
      deleteRecording(at, { id: params.id, by: authorText(caller), isCurrent }),
  }),
]
