import { Button, Select } from '@mantine/core'
import { StepAction } from '../agents/script/StepAction.tsx'
import { DownIcon, PlusIcon, TrashIcon, UpIcon } from '../kit/icons.tsx'
import styles from './agent-tests.module.css'
import { ExpectationList } from './ExpectationList.tsx'
import { SaysField } from './SaysField.tsx'
import { errorAt, errorsIn, newStep, type StepValues, type TestFormProps, type TestValues } from './test-values.ts'

const steps_max = 50

/** The lines of the contact, each with what the agent should do then. */
export function ConversationFields({ values, errors, is_read_only, onEdit }: TestFormProps) {
  const { steps } = values
  const editSteps = (change: (steps: StepValues[]) => StepValues[]) =>
    onEdit((latest) => ({ ...latest, steps: change(latest.steps) }))
  const editStep = (index: number, change: (step: StepValues) => StepValues) =>
    editSteps((latest) => latest.map((step, at) => (at === index ? change(step) : step)))
  const move = (index: number, by: -1 | 1) =>
    editSteps((latest) => {
      const moved = [...latest]
      moved.splice(index + by, 0, ...moved.splice(index, 1))
      return moved
    })
  return (
    <>
      <BeginsField values={values} is_read_only={is_read_only} onEdit={onEdit} />
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no id
        <fieldset key={index} className={styles.step} aria-label={`Line ${index + 1}`}>
          <div className={styles.line} data-side="contact">
            <SaysField
              label="The contact says"
              value={step.says}
              placeholder="When are you open?"
              error={errorAt(errors, `steps.${index}.says`)}
              onChange={(says) => editStep(index, (latest) => ({ ...latest, says }))}
            />
            {!is_read_only && steps.length > 1 && (
              <span className={styles.lineActions}>
                <StepAction
                  label={`Move line ${index + 1} up`}
                  Icon={UpIcon}
                  is_disabled={index === 0}
                  onClick={() => move(index, -1)}
                />
                <StepAction
                  label={`Move line ${index + 1} down`}
                  Icon={DownIcon}
                  is_disabled={index === steps.length - 1}
                  onClick={() => move(index, 1)}
                />
                <StepAction
                  label={`Delete line ${index + 1}`}
                  Icon={TrashIcon}
                  onClick={() => editSteps((latest) => latest.filter((_, at) => at !== index))}
                />
              </span>
            )}
          </div>
          <div className={styles.line} data-side="agent">
            <ExpectationList
              label={`Line ${index + 1}`}
              list={step.expect}
              errors={errorsIn(errors, `steps.${index}.expect`)}
              is_voice={false}
              is_read_only={is_read_only}
              onEdit={(change) => editStep(index, (latest) => ({ ...latest, expect: change(latest.expect) }))}
            />
          </div>
        </fieldset>
      ))}
      {errors.steps && (
        <p className={styles.error} role="alert">
          {errors.steps}
        </p>
      )}
      {!is_read_only && (
        <Button
          className={styles.alone}
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          disabled={steps.length >= steps_max}
          onClick={() => editSteps((latest) => [...latest, newStep()])}
        >
          Add line of the contact
        </Button>
      )}
    </>
  )
}

const speakers = [
  { value: 'agent', label: 'The agent begins' },
  { value: 'contact', label: 'The contact begins' },
]

export const BeginsField = ({ values, is_read_only, onEdit }: Omit<TestFormProps, 'errors'>) => (
  <Select
    className={styles.begins}
    size="xs"
    aria-label="Who speaks first"
    data={speakers}
    value={values.begins}
    allowDeselect={false}
    disabled={is_read_only}
    // The values are the two choices.
    onChange={(chosen) => onEdit((latest) => ({ ...latest, begins: chosen as TestValues['begins'] }))}
  />
)
