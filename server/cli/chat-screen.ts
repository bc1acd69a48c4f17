import type { Conversation, Turn } from '../../sdk/src/index.ts'

/** Prints a conversation. */
export interface Screen {
  begin: (conversation: Conversation) => void
  /** Prints a part of the agent's turn. */
  addPiece: (seq: number, text: string) => void
  addTurn: (turn: Turn) => void
  changeStatus: (conversation: Conversation) => void
  /** Begins a turn. An open one begins again after a lost connection. */
  beginTurn: (seq: number) => void
  /** Asks the contact to say something. */
  prompt: () => void
  /** Ends the prompt, because the contact has typed a line. */
  endPrompt: () => void
}

type Write = (text: string) => void

const notes: Record<Conversation['status'], string> = {
  open: '(the agent answers again)',
  handed_over: '(handed over to a person)',
  closed: '(the conversation has ended)',
}

/** Everything but line breaks and tabs that a terminal may obey, and what changes the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be removed
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export const toSafe = (text: string): string => text.replace(unsafe, '')

/** Opens a screen for people. */
export function openTextScreen(write: Write, { has_prompt }: { has_prompt: boolean }): Screen {
  let agent_name = ''
  let open: { seq: number; text: string } | undefined
  let is_prompting = false

  const endLine = () => {
    if (open || is_prompting) write('\n')
    open = undefined
    is_prompting = false
  }
  const openLine = (role: Turn['role']) => {
    endLine()
    write(`${toSafe(role === 'human' ? 'Person' : agent_name)}: `)
  }
  return {
    begin: (conversation) => {
      agent_name = conversation.agent_name
    },
    addPiece(seq, text) {
      if (open?.seq !== seq) {
        openLine('agent')
        open = { seq, text: '' }
      }
      open.text += text
      write(toSafe(text))
    },
    addTurn({ seq, role, text, is_interrupted }) {
      if (role === 'contact') return
      const shown = open?.seq === seq ? open.text : ''
      if (open?.seq !== seq) openLine(role)
      if (text.startsWith(shown)) write(toSafe(text.slice(shown.length)))
      write(is_interrupted ? ' ...\n' : '\n')
      open = undefined
    },
    changeStatus({ status }) {
      endLine()
      write(`${notes[status]}\n`)
    },
    beginTurn(seq) {
      if (open?.seq === seq) endLine()
    },
    prompt() {
      if (!has_prompt || is_prompting) return
      endLine()
      write('> ')
      is_prompting = true
    },
    endPrompt: () => {
      is_prompting = false
    },
  }
}

/** Writes an event as a line. Escapes characters that a terminal would obey. */
export const jsonLine = (event: object): string => `${JSON.stringify(event).replace(unsafe, escaped)}\n`

/** Opens a screen for programs, on which each event is a line. */
export function openJsonScreen(write: Write): Screen {
  const print = (event: object) => write(jsonLine(event))
  return {
    begin: (conversation) => print({ event: 'conversation.started', conversation }),
    addTurn: (turn) => print({ event: 'turn.finished', turn }),
    changeStatus: (conversation) => print({ event: 'conversation.updated', conversation }),
    addPiece() {},
    beginTurn() {},
    prompt() {},
    endPrompt() {},
  }
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
