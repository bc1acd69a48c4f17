import { useBlocker } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { lazyPart } from './lazy-part.tsx'
import type { Question, QuestionDialogProps } from './QuestionDialog.tsx'

const changes: Question = {
  title: 'Discard changes?',
  text: 'You have changes that aren’t saved.',
  discard_label: 'Discard changes',
}

export const secret: Question = {
  title: 'Close without copying?',
  text: 'You haven’t copied the secret, and you won’t be able to see it again.',
  discard_label: 'Close without copying',
}

interface Entry {
  is_unsaved: boolean
  question: Question
}

/** Knows what is unsaved inside of a dialog, a drawer or the page. */
interface Guard {
  entries: Set<Entry>
  /** The open dialogs that belong to something inside. */
  covers: Set<object>
  parent: Guard | undefined
}

const GuardContext = createContext<Guard | undefined>(undefined)

const firstUnsaved = ({ entries }: Guard): Entry | undefined => [...entries].find(({ is_unsaved }) => is_unsaved)

/**
 * Asks before Esc, a link, the back button or a closed tab discards something. Call the returned function when it is saved, before
 * the dialog closes or the page changes.
 */
export function useUnsaved(is_unsaved: boolean, question = changes): () => void {
  const guard = useContext(GuardContext)
  const entry = useRef<Entry>({ is_unsaved: false, question })
  const is_saved = useRef(false)
  if (!is_unsaved) is_saved.current = false
  entry.current.is_unsaved = is_unsaved && !is_saved.current
  useEffect(() => void loadQuestion().catch(() => {}), [])
  useEffect(() => {
    const own = entry.current
    for (let at = guard; at; at = at.parent) at.entries.add(own)
    return () => {
      for (let at = guard; at; at = at.parent) at.entries.delete(own)
    }
  }, [guard])
  return () => {
    is_saved.current = true
    entry.current.is_unsaved = false
  }
}

/** Call it in a dialog that is opened from a form: Esc then closes only this dialog, and not what is below it. */
export function useCover(is_open: boolean): void {
  const guard = useContext(GuardContext)
  useEffect(() => {
    if (!is_open) return
    const cover = {}
    for (let at = guard; at; at = at.parent) at.covers.add(cover)
    const uncover = () => {
      for (let at = guard; at; at = at.parent) at.covers.delete(cover)
    }
    // The cover goes a moment later, because the Esc that has closed the dialog may reach what is below it only now.
    return () => void setTimeout(uncover)
  }, [guard, is_open])
}

/** Guards all of the page, and asks before another one is opened. */
export function UnsavedGuard({ children }: { children: ReactNode }) {
  const guard = useGuard()
  const blocker = useBlocker({
    shouldBlockFn: () => firstUnsaved(guard) !== undefined,
    enableBeforeUnload: () => firstUnsaved(guard) !== undefined,
    withResolver: true,
  })
  return (
    <GuardContext value={guard}>
      {children}
      {blocker.status === 'blocked' && (
        <QuestionDialog
          question={firstUnsaved(guard)?.question ?? changes}
          onStay={blocker.reset}
          onDiscard={blocker.proceed}
        />
      )}
    </GuardContext>
  )
}

/** Guards something that can be closed: `close` asks first if something inside is unsaved. */
export function useCloseGuard(onClose: () => void) {
  const guard = useGuard()
  const [asked, setAsked] = useState<Question>()
  const close = () => {
    if (guard.covers.size > 0) return
    const unsaved = firstUnsaved(guard)
    unsaved ? setAsked(unsaved.question) : onClose()
  }
  const discard = () => {
    for (const entry of guard.entries) entry.is_unsaved = false
    setAsked(undefined)
    onClose()
  }
  const question = asked && <QuestionDialog question={asked} onStay={() => setAsked(undefined)} onDiscard={discard} />
  const guarded = (children: ReactNode) => <GuardContext value={guard}>{children}</GuardContext>
  return { close, guarded, question }
}

function useGuard(): Guard {
  const parent = useContext(GuardContext)
  return useMemo(() => ({ entries: new Set(), covers: new Set(), parent }), [parent])
}

const loadQuestion = () => import('./QuestionDialog.tsx')

/**
 * The dialog is loaded with the form, because the server may be out of reach when something is unsaved, and some
 * browsers don't load a file again that has failed once. If it couldn't be loaded, the browser asks.
 */
const QuestionDialog = lazyPart<QuestionDialogProps>(() =>
  loadQuestion().then(
    ({ QuestionDialog }) => QuestionDialog,
    () => BrowserQuestion,
  ),
)

function BrowserQuestion({ question: { title, text }, onStay, onDiscard }: QuestionDialogProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once
  useEffect(() => {
    confirm(`${title} ${text}`) ? onDiscard() : onStay()
  }, [])
  return null
}
