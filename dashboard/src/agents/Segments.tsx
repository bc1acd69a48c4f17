import { SegmentedControl, type SegmentedControlProps } from '@mantine/core'
import { memo } from 'react'
import { isSame } from '../kit/merge.ts'

/**
 * The control is not rendered again by each letter of a draft, because it measures its size. `onChange` must never
 * change.
 */
export const Segments = memo((props: SegmentedControlProps<string>) => <SegmentedControl {...props} />, isSame)
