import { Anchor, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { useTitle } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { AgentActions } from './AgentActions.tsx'
import { AgentSettings } from './AgentSettings.tsx'
import { AgentText } from './AgentText.tsx'
import styles from './agents.module.css'
import { DraftConflict } from './DraftConflict.tsx'
import { agentQuery, draft_fields, type LoadedAgent } from './draft.ts'
import { TestChat } from './TestChat.tsx'
import { type Draft, type SaveState, useDraft } from './useDraft.ts'
import { Versions } from './Versions.tsx'

export function AgentPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/agents/$id' })
  const { data, error, refetch } = useQuery(agentQuery(api, id))
  useTitle(data?.data.name ?? 'Agent')
  if (data) return <AgentEditor key={id} loaded={data} />
  return (
    <div className={styles.waiting}>
      {error ? <LoadError error={error} retry={refetch} noun="Agent" /> : <LoadingSkeleton lines={6} />}
    </div>
  )
}

/** On narrow screens one pane is shown at a time. */
function AgentEditor({ loaded }: { loaded: LoadedAgent }) {
  const { workspace } = useApi()
  const can_edit = useCanEdit()
  const draft = useDraft(loaded)
  const agent = loaded.data
  const [pane, setPane] = useState('text')
  const [part, setPart] = useState('settings')
  return (
    <div className={styles.editor} data-fills-page data-pane={pane}>
      <header className={styles.editorHead}>
        <div className={styles.editorTitle}>
          <Anchor fz={13} renderRoot={(props) => <Link to="/w/$workspace/agents" params={{ workspace }} {...props} />}>
            All agents
          </Anchor>
          <h1>{agent.name}</h1>
        </div>
        <span className={styles.state} data-published={!agent.has_unpublished_changes}>
          {agent.has_unpublished_changes ? 'Unpublished changes' : 'Published'}
        </span>
        <span className={styles.hint}>{agent.deployed_version.version_label} deployed</span>
        {can_edit && <SaveStatus draft={draft} />}
        <div className={styles.editorActions}>
          <AgentActions agent={agent} can_edit={can_edit} save={draft.save} />
        </div>
      </header>
      <SegmentedControl
        className={styles.paneChoice}
        fullWidth
        aria-label="Pane"
        data={[
          { value: 'settings', label: 'Settings' },
          { value: 'text', label: draft.values.script === null ? 'Instructions' : 'Script' },
          ...(can_edit ? [{ value: 'chat', label: 'Test chat' }] : []),
        ]}
        value={pane}
        onChange={setPane}
      />
      <div className={styles.pane} data-name="settings">
        <div className={styles.paneHead}>
          <SegmentedControl
            size="sm"
            aria-label="Settings or versions"
            data={[
              { value: 'settings', label: 'Settings' },
              { value: 'versions', label: 'Versions' },
            ]}
            value={part}
            onChange={setPart}
          />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
        <section className={styles.scrolled} tabIndex={0} aria-label={part === 'settings' ? 'Settings' : 'Versions'}>
          {part === 'settings' ? <AgentSettings draft={draft} is_read_only={!can_edit} /> : <Versions agent={agent} />}
        </section>
      </div>
      <section className={styles.pane} data-name="text" aria-label="What the agent says">
        <AgentText draft={draft} is_read_only={!can_edit} />
      </section>
      {can_edit && (
        <section className={styles.pane} data-name="chat" aria-label="Test chat">
          <TestChat agent_id={agent.id} saved_at={agent.updated_at} draft={draft} />
        </section>
      )}
      <DraftConflict draft={draft} />
    </div>
  )
}

const state_names: Record<SaveState, string> = {
  saved: 'Saved',
  unsaved: 'Saving…',
  saving: 'Saving…',
  failed: 'Not saved',
  conflict: 'Not saved',
}

/** What is wrong with a field is shown beside it. */
function SaveStatus({ draft: { state, error } }: { draft: Draft }) {
  const reason = error instanceof SyntaxError ? undefined : formErrors(error, draft_fields).message
  const is_failed = state === 'failed' || state === 'conflict'
  return (
    <span className={styles.saveState} role="status" data-failed={is_failed}>
      {state_names[state]}
      {state === 'failed' && reason && `: ${reason}`}
    </span>
  )
}
