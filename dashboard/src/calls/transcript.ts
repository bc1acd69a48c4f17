import type { Turn } from '../../../server/conversations/schema.ts'

export interface Transcript {
  call_id: string
  language: string
  duration_ms: number | null
  turns: TranscriptTurn[]
}

export interface TranscriptTurn
  extends Pick<Turn, 'seq' | 'role' | 'text' | 'heard' | 'is_interrupted' | 'finish_reason' | 'latency'> {
  start_ms: number | null
  end_ms: number | null
  words: Word[]
  tools: Pick<Turn['tools'][number], 'name' | 'status' | 'duration_ms'>[]
}

interface Word {
  text: string
  start_ms: number
  end_ms: number
}
