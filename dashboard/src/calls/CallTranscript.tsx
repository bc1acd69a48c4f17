import { useQuery } from '@tanstack/react-query'
import { type MouseEvent, memo, useEffect, useRef } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import type { Turn } from '../../../server/conversations/schema.ts'
import { turnsQuery } from '../conversations/conversation.ts'
import chat from '../conversations/conversations.module.css'
import { HowItEnded } from '../conversations/HowItEnded.tsx'
import { ToolRunView } from '../conversations/ToolRunView.tsx'
import { inOrder, NoteView } from '../conversations/Transcript.tsx'
import { Unheard } from '../conversations/Unheard.tsx'
import type { Note } from '../conversations/useNotes.ts'
import { useApi } from '../kit/api.ts'
import { formatDuration, formatNumber } from '../kit/format.ts'
import styles from './calls.module.css'
import type { TranscriptTurn } from './transcript.ts'
import type { Player } from './usePlayer.ts'

interface CallTranscriptProps {
  call: Pick<Call, 'conversation_id' | 'answered_at'>
  /** The lines that nobody has said, oldest first. */
  notes: Note[]
  turns: TranscriptTurn[]
  player: Player
  /** Whether the recording can be played. */
  is_playable: boolean
  names: Record<Turn['role'], string>
}

/** Shows what was said. A click on a word plays from there, and words light up while they are heard. */
export function CallTranscript({ call, notes, turns, player, is_playable, names }: CallTranscriptProps) {
  const api = useApi()
  const { conversation_id, answered_at } = call
  const has_more = turns.some(
    ({ role, tools, finish_reason }) => role === 'human' || tools.length > 0 || hasFailed(finish_reason),
  )
  // Only the conversation has who has answered, the arguments and results of tools, and why a model could not answer.
  const full = useQuery({
    ...turnsQuery(api, conversation_id ?? ''),
    enabled: has_more && conversation_id !== null,
  })
  const { time_ms } = player
  const seekToWord = ({ target }: MouseEvent) => {
    const start = target instanceof HTMLElement ? target.dataset.start : undefined
    // Selecting text is no click.
    if (start !== undefined && is_playable && !String(getSelection() ?? '')) player.seek(Number(start), true)
  }
  return (
    <section
      className={chat.transcript}
      aria-label="Transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the keyboard uses the times */}
      <div className={chat.turns} data-playable={is_playable} onClick={seekToWord}>
        {inOrder(turns, notes, ({ start_ms }) => Date.parse(answered_at ?? '') + (start_ms ?? 0)).map((turn) => {
          if ('at' in turn) return <NoteView key={turn.id} note={turn} />
          const full_turn = full.data?.find(({ seq }) => seq === turn.seq)
          const is_heard = isAt(turn, time_ms) && time_ms > 0
          return (
            <SpokenTurn
              key={turn.seq}
              turn={turn}
              full={full_turn}
              name={full_turn?.author?.name ?? names[turn.role]}
              time_ms={is_heard ? time_ms : undefined}
              {...(is_playable && { seek: player.seek })}
            />
          )
        })}
      </div>
    </section>
  )
}

const hasFailed = (finish_reason: Turn['finish_reason']): boolean =>
  finish_reason !== null && !['stop', 'interrupted'].includes(finish_reason)

const isAt = ({ start_ms, end_ms }: { start_ms: number | null; end_ms: number | null }, time_ms: number): boolean =>
  start_ms !== null && end_ms !== null && start_ms <= time_ms && time_ms < end_ms

interface SpokenTurnProps {
  turn: TranscriptTurn
  /** The turn of the conversation. Undefined until it is read. */
  full: Turn | undefined
  name: string
  /** The time of the player. Undefined while the turn is not heard. */
  time_ms: number | undefined
  /** Plays from a time. Undefined if there is no recording. */
  seek?: Player['seek']
}

const SpokenTurn = memo(
  ({ turn, full, name, time_ms, seek }: SpokenTurnProps) => {
    const { role, tools, start_ms, is_interrupted, finish_reason, latency } = turn
    const frame = useRef<HTMLDivElement>(null)
    const is_heard = time_ms !== undefined
    useEffect(() => {
      if (is_heard) frame.current?.scrollIntoView({ block: 'nearest' })
    }, [is_heard])
    return (
      <div className={chat.turn} data-own={role !== 'contact'} data-role={role} ref={frame}>
        {full?.tools.map((run) => (
          <ToolRunView key={run.id} run={run} />
        ))}
        {!full && tools.length > 0 && <p className={chat.meta}>Used {tools.map((tool) => tool.name).join(', ')}</p>}
        <p className={chat.said}>
          <Said turn={turn} time_ms={time_ms} />
        </p>
        <HowItEnded finish_reason={finish_reason} error={full?.error ?? null} />
        <p className={chat.meta}>
          {name}
          {start_ms !== null && (
            <>
              {' · '}
              {seek ? (
                <button
                  type="button"
                  className={styles.turnTime}
                  aria-label={`Play from ${formatDuration(start_ms)}`}
                  onClick={() => seek(start_ms, true)}
                >
                  {formatDuration(start_ms)}
                </button>
              ) : (
                formatDuration(start_ms)
              )}
            </>
          )}
          {is_interrupted && ' · Interrupted'}
          {role === 'agent' && latency.turn_ms !== null && ` · ${formatNumber(latency.turn_ms)} ms`}
        </p>
      </div>
    )
  },
  // `seek` is left out: it is made anew with each tick of the player, and always does the same.
  (before, after) =>
    before.turn === after.turn &&
    before.full === after.full &&
    before.name === after.name &&
    before.time_ms === after.time_ms &&
    Boolean(before.seek) === Boolean(after.seek),
)

/** Shows the words that were heard, and strikes out what was not. */
function Said({ turn, time_ms }: Pick<SpokenTurnProps, 'turn' | 'time_ms'>) {
  const { words } = turn
  if (words.length === 0) return turn.text
  return (
    <>
      {words.map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words may repeat, and don't change
        <span key={index}>
          {index > 0 && ' '}
          <span
            className={styles.word}
            data-start={word.start_ms}
            {...(time_ms !== undefined && isAt(word, time_ms) && { 'data-current': true })}
          >
            {word.text}
          </span>
        </span>
      ))}
      <Unheard turn={turn} />
    </>
  )
}
