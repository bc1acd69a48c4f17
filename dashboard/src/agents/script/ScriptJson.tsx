import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Range } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { FieldError } from '../../kit/error-messages.ts'
import styles from './script.module.css'

const parse_ms_max = 200

interface ScriptJsonProps {
  value: string
  /** The paths of the errors begin with `script`. */
  errors: FieldError[]
  is_read_only: boolean
  onChange: (value: string) => void
}

/** The editor lives in a shadow root, where its styles are adopted: the Content-Security-Policy blocks style elements. */
export function ScriptJson({ value, errors, is_read_only, onChange }: ScriptJsonProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(onChange)
  changed.current = onChange
  const first = useRef(value)
  first.current = value
  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const opened = new EditorView({
      root,
      parent: root,
      doc: first.current,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        bracketMatching(),
        json(),
        colors,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Script', tabindex: '0' }),
        EditorState.readOnly.of(is_read_only),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        theme,
        EditorView.updateListener.of(({ docChanged, state }) => {
          const text = state.doc.toString()
          if (docChanged && text !== first.current) changed.current(text)
        }),
      ],
    })
    view.current = opened
    return () => opened.destroy()
  }, [is_read_only])
  // A layout effect sets the text before the next key press, whose letter it would overwrite.
  useLayoutEffect(() => {
    const opened = view.current
    const text = opened?.state.doc.toString()
    if (text !== undefined && text !== value) opened?.dispatch({ changes: { from: 0, to: text.length, insert: value } })
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other text has its errors elsewhere
  useEffect(() => {
    const opened = view.current
    if (!opened) return
    opened.dispatch(setDiagnostics(opened.state, [...syntaxErrors(opened), ...savingErrors(opened, errors)]))
  }, [value, errors])
  return <div ref={host} className={styles.json} />
}

const findSyntaxErrors = jsonParseLinter()
const syntaxErrors = (view: EditorView): Diagnostic[] => (view.state.doc.length > 0 ? findSyntaxErrors(view) : [])

const savingErrors = ({ state }: EditorView, errors: FieldError[]): Diagnostic[] =>
  errors
    .filter(({ path }) => path !== 'script')
    .map(({ path, message }) => ({ ...findPath(state, path.split('.').slice(1)), severity: 'error', message }))

const values = ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']

/** Finds the range of the member at the path, or of the nearest one around it. */
function findPath(state: EditorState, path: string[]): { from: number; to: number } {
  let at = ensureSyntaxTree(state, state.doc.length, parse_ms_max)?.topNode.firstChild
  let found = { from: 0, to: 0 }
  for (const name of path) {
    if (!at) break
    if (at.name === 'Array') {
      const items = values.flatMap((kind) => at?.getChildren(kind) ?? []).sort((one, other) => one.from - other.from)
      at = items[Number(name)]
      if (at) found = { from: at.from, to: at.to }
      continue
    }
    const property = at.getChildren('Property').find((one) => {
      const place = one.getChild('PropertyName')
      return place && state.sliceDoc(place.from, place.to) === JSON.stringify(name)
    })
    const place = property?.getChild('PropertyName')
    if (place) found = { from: place.from, to: place.to }
    at = property?.lastChild
  }
  return found
}

const key = Decoration.mark({ class: 'cm-key' })
const literal = Decoration.mark({ class: 'cm-literal' })
const marks = new Map([
  ['PropertyName', key],
  ['Number', literal],
  ['True', literal],
  ['False', literal],
  ['Null', literal],
])

/** Colors the part of the text that is in view. */
const colors = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor(view: EditorView) {
      this.decorations = colorsOf(view)
    }

    update({ view, startState, state, docChanged, viewportChanged }: ViewUpdate) {
      const is_parsed_further = syntaxTree(startState) !== syntaxTree(state)
      if (docChanged || viewportChanged || is_parsed_further) this.decorations = colorsOf(view)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

function colorsOf({ state, visibleRanges }: EditorView): DecorationSet {
  const found: Range<Decoration>[] = []
  for (const { from, to } of visibleRanges)
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = marks.get(node.name)
        if (mark) found.push(mark.range(node.from, node.to))
      },
    })
  return Decoration.set(found, true)
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { border: '0', backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    backgroundColor: 'var(--surface)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-key': { color: 'var(--mantine-color-anchor)' },
  '.cm-literal': { color: 'var(--warning-text)' },
  // Chromium gives what is typed over a bracket its background, as an inline style, which the Content-Security-Policy blocks.
  '&.cm-focused :is(.cm-matchingBracket, .cm-nonmatchingBracket)': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-matchingBracket': { outline: '1px solid var(--accent)' },
})
