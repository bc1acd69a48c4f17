import { SegmentedControl, type SegmentedControlProps } from '@mantine/core'
import { memo } from 'react'
import { isSame } from '../kit/merge.ts'

/** Not rendered again by each letter of a draft, because it measures its size. For an `onChange` that never changes. */
export const Segments = memo((props: SegmentedControlProps<string>) => <SegmentedControl {...props} />, isSame)
