import { UnstyledButton } from '@mantine/core'
import styles from './campaigns.module.css'

export const steps = ['Audience', 'Agent', 'Schedule', 'Review']

interface StepsProps {
  current: number
  /** Goes back to a step before the current one. Without it, no step can be opened. */
  onOpen?: (step: number) => void
}

/** Shows where the person is in the wizard. */
export const Steps = ({ current, onOpen }: StepsProps) => (
  <ol className={styles.steps} aria-label="Steps">
    {steps.map((name, step) => (
      <li key={name} data-done={step < current || undefined} aria-current={step === current ? 'step' : undefined}>
        {onOpen && step < current ? (
          <UnstyledButton className={styles.step} onClick={() => onOpen(step)}>
            <Label step={step} name={name} />
          </UnstyledButton>
        ) : (
          <span className={styles.step}>
            <Label step={step} name={name} />
          </span>
        )}
      </li>
    ))}
  </ol>
)

const Label = ({ step, name }: { step: number; name: string }) => (
  <>
    <span className={styles.stepNumber}>{step + 1}</span>
    {name}
  </>
)
