import { ActionIcon, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { errorMessage } from '../kit/error-messages.ts'
import { SendIcon } from '../kit/icons.tsx'
import { useSession } from '../kit/session.ts'
import { draftKey } from '../kit/sign-out.ts'
import styles from './conversations.module.css'

const text_length_max = 4_000

interface MessageFormProps {
  label: string
  /** The field takes the focus when this changes. */
  focus_key?: string | undefined
  is_disabled?: boolean
  /** The name under which typed text is kept until it is sent, also when the page is loaded again. */
  keep_as?: string
  /** Sends the text, which stays if this fails. */
  onSend: (text: string) => Promise<unknown>
}

/** A field for a message. Enter sends, Shift+Enter breaks the line. */
export function MessageForm({ label, focus_key, is_disabled = false, keep_as, onSend }: MessageFormProps) {
  const [text, setText] = useDraft(keep_as)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focus_key) field.current?.focus()
  }, [focus_key])
  const sending = useMutation({
    mutationFn: onSend,
    // What was typed while the message was sent stays.
    onSuccess: (_, sent) => setText((now) => (now.trim() === sent ? '' : now)),
    onSettled: () => field.current?.focus(),
  })
  const can_send = text.trim() !== '' && !is_disabled && !sending.isPending
  const send = () => {
    if (can_send) sending.mutate(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Without the focus in a field, the keys of the page work again.
    if (event.key === 'Escape') return field.current?.blur()
    // Enter also ends the choice of a character in some languages.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  return (
    <form className={styles.messageForm} onSubmit={onSubmit}>
      {sending.error && (
        <p className={styles.sendError} role="alert">
          {errorMessage(sending.error)}
        </p>
      )}
      <Textarea
        ref={field}
        className={styles.messageField}
        aria-label={label}
        placeholder={label}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={text_length_max}
        disabled={is_disabled}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ActionIcon type="submit" size={36} aria-label="Send" disabled={!can_send} loading={sending.isPending}>
        <SendIcon size={18} />
      </ActionIcon>
    </form>
  )
}

function useDraft(name: string | undefined) {
  const { person } = useSession()
  const key = name && draftKey(person.id, name)
  const [text, setText] = useState(() => (key && sessionStorage.getItem(key)) || '')
  useEffect(() => {
    if (!key) return
    text ? sessionStorage.setItem(key, text) : sessionStorage.removeItem(key)
  }, [key, text])
  return [text, setText] as const
}
