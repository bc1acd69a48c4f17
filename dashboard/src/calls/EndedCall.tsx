import { useQuery } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import styles from '../conversations/conversations.module.css'
import { useNotes } from '../conversations/useNotes.ts'
import { useApi } from '../kit/api.ts'
import { PhoneIcon } from '../kit/icons.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CallTranscript } from './CallTranscript.tsx'
import { describeEnd, outcome_sentences, transcriptQuery } from './call.ts'
import { canPlay, Recording } from './Recording.tsx'
import { usePlayer } from './usePlayer.ts'

/** The recording and the transcript, which follow each other. */
export function EndedCall({ call, contact }: { call: Call; contact: string }) {
  const is_said = call.turn_count > 0 && call.redacted_at === null
  const { data, error, refetch } = useQuery({ ...transcriptQuery(useApi(), call.id), enabled: is_said })
  const notes = useNotes({ id: is_said ? call.conversation_id : null, status: 'closed', is_call: true })
  const player = usePlayer()
  const is_playable = useCanEdit() && canPlay(call)
  const turns = data?.turns ?? []
  return (
    <>
      {call.redacted_at === null && <Recording call={call} player={player} turns={turns} contact={contact} />}
      {is_said && error && !data && <LoadError error={error} retry={refetch} />}
      {is_said && !data && !error && (
        <div className={styles.waiting}>
          <LoadingSkeleton lines={6} />
        </div>
      )}
      {data && is_said && (
        <CallTranscript
          call={call}
          notes={notes}
          turns={turns}
          player={player}
          is_playable={is_playable}
          names={{ contact, agent: call.agent_name, human: 'Your team', system: 'System' }}
        />
      )}
      {!is_said && call.redacted_at === null && <NothingSaid call={call} />}
    </>
  )
}

function NothingSaid({ call }: { call: Call }) {
  const { outcome, end_reason } = call
  const sentence = outcome && outcome_sentences[outcome]
  const is_explained = end_reason === 'not_answered' || end_reason === 'canceled'
  return (
    <div className={styles.transcript}>
      <EmptyState icon={<PhoneIcon size={24} />} title={sentence ? sentence.replace(/\.$/, '') : 'Nothing was said'}>
        {end_reason && !is_explained && `${describeEnd(call, end_reason)}.`}
      </EmptyState>
    </div>
  )
}
