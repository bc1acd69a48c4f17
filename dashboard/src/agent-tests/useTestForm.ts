import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AgentTest } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { fieldErrors, formErrors } from '../kit/error-messages.ts'
import { changedFields, isSame } from '../kit/merge.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { resultsKey, testQuery, testsKey } from './test.ts'
import { type Errors, findErrors, newTest, type TestValues, toContent, toValues } from './test-values.ts'

interface TestFormOptions {
  agent_id: string
  /** The test to edit. Without it, the form creates one. */
  test?: AgentTest
  onSaved: (test: AgentTest) => void
}

const labels = {
  says: 'The contact says',
  steps: 'Lines of the contact',
  turns: 'Said before',
  expect: 'The agent should',
  uses_tools: 'Really call tools',
  is_enabled: 'Enabled',
  begins: 'Who speaks first',
  turns_max: 'Most turns of the contact',
}

/** Holds what is typed in the editor of a test, until it is saved. */
export function useTestForm({ agent_id, test, onSaved }: TestFormOptions) {
  const api = useApi()
  const client = useQueryClient()
  // The values when the editor was opened or saved last. What differs from them was typed.
  const [before, setBefore] = useState<TestValues>(() => (test ? toValues(test) : newTest()))
  const [values, setValues] = useState(before)
  const [own_errors, setOwnErrors] = useState<Errors>({})
  const is_dirty = !isSame(before, values)
  const setSaved = useUnsaved(is_dirty)
  const conflicts = useConflicts({ labels })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what others have saved is shown when it was read
  useEffect(() => {
    if (!test || is_dirty) return
    setBefore(toValues(test))
    setValues(toValues(test))
  }, [test])
  const path = `/agents/${agent_id}/tests`
  const saving = useMutation({
    mutationFn: async (typed: TestValues): Promise<AgentTest> => {
      const mine = toContent(typed)
      if (!test) return await api.send<AgentTest>('POST', path, mine)
      const opened = toContent(before)
      return await api.update<AgentTest>(`${path}/${test.id}`, async (current) => {
        const theirs = toContent(toValues(current))
        const changes = changedFields(opened, await conflicts.choose({ before: opened, mine, theirs }))
        return Object.keys(changes).length > 0 ? changes : undefined
      })
    },
    onSuccess: (saved, typed) => {
      setSaved()
      const latest = toValues(saved)
      setBefore(latest)
      // What was typed during the save stays.
      setValues((now) => (isSame(now, typed) ? latest : now))
      client.setQueryData(testQuery(api, agent_id, saved.id).queryKey, saved)
      client.setQueryData<AgentTest[]>(testsKey(api, agent_id), (all) =>
        all?.map((one) => (one.id === saved.id ? saved : one)),
      )
      void client.invalidateQueries({ queryKey: testsKey(api, agent_id), exact: true })
      void client.invalidateQueries({ queryKey: resultsKey(api) })
      onSaved(saved)
    },
  })
  const save = async (): Promise<boolean> => {
    const found = findErrors(values)
    setOwnErrors(found)
    if (Object.keys(found).length > 0) return false
    return await saving.mutateAsync(values).then(
      () => true,
      () => false,
    )
  }
  return {
    values,
    edit: (change: (values: TestValues) => TestValues) => setValues(change),
    errors: { ...serverErrors(saving.error), ...own_errors },
    error: saving.error,
    is_dirty,
    is_saving: saving.isPending,
    save,
    setSaved,
    conflict_dialog: conflicts.dialog,
  }
}

const serverErrors = (error: unknown): Errors =>
  error
    ? formErrors(
        error,
        fieldErrors(error).map(({ path }) => path),
      ).fields
    : {}
