import type { Call, Turn } from '../../sdk/src/index.ts'
import { jsonLine, toSafe } from './chat-screen.ts'

/** Prints a call. */
export interface CallScreen {
  begin: (call: Call) => void
  update: (call: Call) => void
  beginTurn: (turn: Pick<Turn, 'seq' | 'role'>) => void
  /** Prints a part of the open turn. */
  addPiece: (piece: Pick<Turn, 'seq' | 'text'>) => void
  addTurn: (turn: Turn) => void
  /** Prints the end of the call. Nothing more is shown. */
  end: (call: Call) => void
}

type Write = (text: string) => void

const notes: Partial<Record<Call['status'], string>> = { ringing: '(ringing)', in_progress: '(answered)' }

/** Opens a screen for people. */
export function openCallTextScreen(write: Write, { address }: { address: string }): CallScreen {
  let agent_name = ''
  let status: Call['status'] | undefined
  /** The last turn that began. The turn whose line is open is in `open`. */
  let started: Pick<Turn, 'seq' | 'role'> | undefined
  let open: { seq: number; text: string } | undefined

  const endLine = () => {
    if (open) write('\n')
    open = undefined
  }
  const nameOf = (role: Turn['role']) =>
    toSafe({ agent: agent_name, contact: 'Contact', human: 'Person', system: 'Service' }[role])
  const openLine = (seq: number, role: Turn['role']) => {
    endLine()
    write(`${nameOf(role)}: `)
    open = { seq, text: '' }
    return open
  }
  return {
    begin(call) {
      agent_name = call.agent_name
      write(`Calling ${toSafe(call.to ?? '')}\n`)
    },
    update(call) {
      if (call.status === status) return
      status = call.status
      const note = notes[status]
      if (note === undefined) return
      endLine()
      write(`${note}\n`)
    },
    beginTurn(turn) {
      // A turn that has begun before begins again: its parts come again.
      if (open?.seq === turn.seq) endLine()
      started = turn
    },
    addPiece({ seq, text }) {
      const line = open?.seq === seq ? open : openLine(seq, started?.seq === seq ? started.role : 'agent')
      line.text += text
      write(toSafe(text))
    },
    addTurn({ seq, role, text, heard, is_interrupted }) {
      const said = is_interrupted ? (heard ?? text) : text
      const line = open?.seq === seq ? open : openLine(seq, role)
      if (said.startsWith(line.text)) write(toSafe(said.slice(line.text.length)))
      if (is_interrupted) write(' —')
      endLine()
    },
    end(call) {
      endLine()
      write(`${summaryOf(call)}\n`)
      if (call.recording.status === 'ready') write(`Recording: ${address}/api/v1/calls/${call.id}/recording\n`)
      write(`In the dashboard: ${address}/calls/${call.id}\n`)
    },
  }
}

function summaryOf({ status, outcome, end_reason, duration_ms }: Call): string {
  const facts = [status, outcome, end_reason].filter((fact) => fact !== null).map((fact) => fact.replaceAll('_', ' '))
  const lasted = duration_ms === null ? '' : `, after ${Math.round(duration_ms / 1_000)} s`
  const is_over = ['completed', 'failed', 'canceled'].includes(status)
  return is_over ? `(the call has ended: ${facts.join(', ')}${lasted})` : `(the call goes on: ${facts.join(', ')})`
}

/** Opens a screen for programs, on which each event is a line. */
export function openCallJsonScreen(write: Write): CallScreen {
  return {
    begin: (call) => write(jsonLine({ event: 'call.created', call })),
    update: (call) => write(jsonLine({ event: 'call.updated', call })),
    addTurn: (turn) => write(jsonLine({ event: 'turn.finished', turn })),
    beginTurn() {},
    addPiece() {},
    end() {},
  }
}
