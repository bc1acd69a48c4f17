import { Anchor, Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentTest } from '../../../server/agent-tests/schema.ts'
import { agentQuery } from '../agents/draft.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { PlayIcon, TrashIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { Page } from '../kit/Page.tsx'
import { Status } from '../kit/Status.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import styles from './agent-tests.module.css'
import { LastRunOfTest } from './LastRunOfTest.tsx'
import { FormAlert, TestForm } from './TestForm.tsx'
import { testQuery, testsKey } from './test.ts'
import { useEnableTest } from './useEnableTest.ts'
import { draft_choice, toTested, useStartRun } from './useStartRun.ts'
import { useTestForm } from './useTestForm.ts'
import { VersionChoice } from './VersionChoice.tsx'

/** Shows one test: its editor as a chat, and beside it how it went last. */
export function TestPage() {
  const api = useApi()
  const { id: agent_id, test_id } = useParams({ from: '/w/$workspace/agents/$id/tests/$test_id' })
  const { data: test, error, refetch } = useQuery(testQuery(api, agent_id, test_id))
  if (test) return <Editor key={test_id} test={test} />
  return (
    <Page title="Test">
      {error ? <LoadError error={error} retry={refetch} noun="Test" /> : <LoadingSkeleton lines={6} />}
    </Page>
  )
}

function Editor({ test }: { test: AgentTest }) {
  const api = useApi()
  const navigate = useNavigate()
  const can_edit = useCanEdit()
  const { agent_id } = test
  const { run: run_id } = useSearch({ from: '/w/$workspace/agents/$id/tests/$test_id' })
  const [tested, setTested] = useState(draft_choice)
  const starting = useStartRun(agent_id)
  const form = useTestForm({ agent_id, test, onSaved: () => showToast('Test saved.') })
  const run = async () => {
    if (form.is_dirty && !(await form.save())) return
    const started = await starting.mutateAsync({ ...toTested(tested), test_ids: [test.id] }).catch(() => undefined)
    if (!started) return
    await navigate({
      to: '/w/$workspace/agents/$id/tests/$test_id',
      params: { workspace: api.workspace, id: agent_id, test_id: test.id },
      search: { run: started.id },
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <Page
      title={test.name}
      description={
        <span className={styles.facts}>
          <TestsLink agent_id={agent_id} />
          {!test.is_enabled && <Status tone="neutral">Disabled</Status>}
        </span>
      }
      actions={
        can_edit && (
          <>
            <VersionChoice
              agent_id={agent_id}
              label="Run against"
              is_label_hidden
              value={tested}
              onChange={setTested}
            />
            <Button
              variant="default"
              leftSection={<PlayIcon size={16} />}
              loading={starting.isPending}
              onClick={() => void run()}
            >
              {form.is_dirty ? 'Save and run' : 'Run'}
            </Button>
            <TestMenu test={test} onDelete={form.setSaved} />
            <Button loading={form.is_saving} disabled={!form.is_dirty} onClick={() => void form.save()}>
              Save
            </Button>
          </>
        )
      }
    >
      {form.conflict_dialog}
      <div className={styles.editor}>
        <div>
          <FormAlert error={form.error} errors={form.errors} />
          <TestForm values={form.values} errors={form.errors} is_read_only={!can_edit} onEdit={form.edit} />
        </div>
        <section className={styles.lastRun} aria-label="Last result">
          <h2>Last result</h2>
          <LastRunOfTest test={test} run_id={run_id} />
        </section>
      </div>
    </Page>
  )
}

export function TestsLink({ agent_id }: { agent_id: string }) {
  const api = useApi()
  const { data } = useQuery(agentQuery(api, agent_id))
  return (
    <Anchor
      fz="inherit"
      renderRoot={(props) => (
        <Link to="/w/$workspace/agents/$id/tests" params={{ workspace: api.workspace, id: agent_id }} {...props} />
      )}
    >
      Tests of {data?.data.name ?? 'the agent'}
    </Anchor>
  )
}

function TestMenu({ test, onDelete }: { test: AgentTest; onDelete: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [is_asking, setAsking] = useState(false)
  const { agent_id, is_enabled } = test
  const enabling = useEnableTest(test)
  const remove = async () => {
    await api.send('DELETE', `/agents/${agent_id}/tests/${test.id}`)
    onDelete()
    showToast('Test deleted.')
    await navigate({ to: '/w/$workspace/agents/$id/tests', params: { workspace: api.workspace, id: agent_id } })
    await client.invalidateQueries({ queryKey: testsKey(api, agent_id) })
  }
  return (
    <>
      <MoreMenu>
        <Menu.Item disabled={enabling.isPending} onClick={() => enabling.mutate(!is_enabled)}>
          {is_enabled ? 'Disable' : 'Enable'}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setAsking(true)}>
          Delete
        </Menu.Item>
      </MoreMenu>
      <ConfirmDialog
        is_open={is_asking}
        title="Delete this test?"
        confirm_label="Delete test"
        onClose={() => setAsking(false)}
        onConfirm={remove}
      >
        Results of past runs are kept. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}

/** Editing a test that doesn't exist yet. */
export function NewTestPage() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { id: agent_id } = useParams({ from: '/w/$workspace/agents/$id/tests/new' })
  const form = useTestForm({
    agent_id,

    onSaved: (test) => {
      showToast('Test created.')
      client.setQueryData(testQuery(api, agent_id, test.id).queryKey, test)
      void navigate({
        to: '/w/$workspace/agents/$id/tests/$test_id',
        params: { workspace: api.workspace, id: agent_id, test_id: test.id },
        replace: true,
      })
    },
  })
  return (
    <Page
      title="New test"
      description={<TestsLink agent_id={agent_id} />}
      actions={
        <Button loading={form.is_saving} onClick={() => void form.save()}>
          Create test
        </Button>
      }
    >
      <div className={styles.editor}>
        <div>
          <FormAlert error={form.error} errors={form.errors} />
          <TestForm values={form.values} errors={form.errors} is_read_only={false} onEdit={form.edit} />
        </div>
      </div>
    </Page>
  )
}
