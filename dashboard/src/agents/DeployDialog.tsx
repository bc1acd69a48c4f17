import { Button, NumberInput, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, AgentVersion, VersionReference } from '../../../server/agents/schema.ts'
import { DeployTests, useGate } from '../agent-tests/DeployTests.tsx'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { ParleyError } from '../kit/request.ts'
import { useIsOwner } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './agents.module.css'
import { Changes } from './Changes.tsx'
import { useRefreshAgents } from './useRefreshAgents.ts'
import { differenceQuery } from './versions.ts'

const fields = ['note', 'percent']
const note_length_max = 500

interface DeployDialogProps {
  agent: Agent
  /** The version to deploy. Without it, a version is made of the draft first. */
  version?: VersionReference | undefined
  is_open: boolean
  onClose: () => void
}

/** Makes a version live, for all people or a part of them. The draft must be saved. */
export const DeployDialog = ({ is_open, ...props }: DeployDialogProps) => (
  <Dialog
    is_open={is_open}
    title={`Deploy ${props.version?.version_label ?? 'the draft'}`}
    size="xl"
    onClose={props.onClose}
  >
    <DeployForm {...props} />
  </Dialog>
)

function DeployForm({ agent, version, onClose }: Omit<DeployDialogProps, 'is_open'>) {
  const api = useApi()
  const refresh = useRefreshAgents()
  const [note, setNote] = useState('')
  const [percent, setPercent] = useState<number | string>(100)
  const setSaved = useUnsaved(note !== '')
  const [is_asking, setAsking] = useState(false)
  const is_owner = useIsOwner()
  const is_required = agent.deploy_requires === 'tests'
  const state = useGate({ agent, version_id: version?.id ?? null })
  const path = `/agents/${agent.id}`
  const live = agent.deployed_version
  const difference = useQuery(differenceQuery(api, agent, { from: live.id, to: version?.id ?? 'draft' }))
  const deploying = useMutation({
    mutationFn: async (is_forced: boolean) => {
      const is_for_all = percent === 100
      const force = is_forced && { force: true }
      // Publishing a draft that has a version already returns that one, so this can be tried again.
      const { id, version_label } =
        version ?? (await api.send<AgentVersion>('POST', `${path}/versions`, { note, deploy: is_for_all, ...force }))
      if (version || !is_for_all) await api.send('POST', `${path}/deploy`, { version_id: id, percent, ...force })
      return version_label
    },
    onSuccess: async (version_label) => {
      setSaved()
      onClose()
      showToast(percent === 100 ? `${version_label} is live.` : `${version_label} is live for ${percent} % of people.`)
    },
    // This runs after a failure, too, because a version may have been made before it.
    onSettled: refresh,
  })
  const is_percent_valid = typeof percent === 'number' && percent >= 1 && percent <= 100
  const is_refused = needsTests(deploying.error)
  const errors = deploying.error ? formErrors(deploying.error, fields) : undefined
  const can_force = is_owner && (is_refused || (is_required && (state.gate === 'failed' || state.gate === 'not_run')))
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (is_percent_valid) deploying.mutate(false)
      }}
    >
      <ErrorAlert>{errors?.message}</ErrorAlert>
      {!version && agent.has_unpublished_changes && (
        <Textarea
          label="Note"
          placeholder="What changed"
          autosize
          maxRows={4}
          maxLength={note_length_max}
          data-autofocus
          value={note}
          error={errors?.fields.note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
      )}
      <NumberInput
        label="Percent of people"
        className={styles.percent}
        suffix=" %"
        clampBehavior="none"
        allowDecimal={false}
        value={percent}
        error={is_percent_valid ? errors?.fields.percent : 'Must be 1 to 100'}
        onChange={setPercent}
      />
      <section aria-label="Changes" className={styles.form}>
        <h2 className={styles.paneTitle}>Changes from {live.version_label}, which is live</h2>
        {difference.error && !difference.data && <LoadError error={difference.error} retry={difference.refetch} />}
        {difference.isPending && <LoadingSkeleton lines={4} />}
        {difference.data && <Changes difference={difference.data} />}
      </section>
      <section aria-label="Tests" className={styles.form}>
        <h2 className={styles.paneTitle}>Tests</h2>
        <DeployTests agent={agent} version_id={version?.id ?? null} state={state} is_required={is_required} />
      </section>
      <div className={styles.deployButtons}>
        {can_force && (
          <Button variant="subtle" color="red" disabled={!is_percent_valid} onClick={() => setAsking(true)}>
            Deploy anyway…
          </Button>
        )}
        <FormButtons
          label="Deploy"
          is_pending={deploying.isPending}
          errors={errors?.fields ?? {}}
          labels={{ percent: 'Percent of people' }}
          onCancel={onClose}
        />
      </div>
      <ConfirmDialog
        is_open={is_asking}
        title="Deploy without passing tests?"
        confirm_label="Deploy anyway"
        onClose={() => setAsking(false)}
        onConfirm={() => deploying.mutateAsync(true)}
      >
        The tests of this agent haven’t passed on what you deploy. Contacts talk to it right away, and the event of the
        deployment says that it was forced.
      </ConfirmDialog>
    </form>
  )
}

const needsTests = (error: unknown): boolean =>
  error instanceof ParleyError && error.details.reason === 'tests_required'
