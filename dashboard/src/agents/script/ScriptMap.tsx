import '@xyflow/react/dist/style.css'
import { useComputedColorScheme } from '@mantine/core'
import {
  Background,
  type BuiltInEdge,
  Controls,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
} from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import styles from './script.module.css'
import { type Exit, end_names, exitsOf, type Script, targetName } from './script.ts'

/** Keep these sizes equal to those in script.module.css. */
const [width, gap_x, gap_y, head_height, exit_height] = [250, 80, 64, 74, 26]
/** Arrows that return from steps further down end at this height of a step. */
const back_y = 20

/** Arrows of one step run side by side, in lanes this far from it. */
const laneOf = (exit: number): number => 14 + 7 * (exit % lanes)
const lanes = 6

/** The empty space around all steps. */
const margin = 16
/** Larger maps show only their beginning at first: the rest would be too small to see. */
const [zoom_min, zoom_max] = [0.2, 1]

/** Scripts with more steps than this render only the steps in view. */
const rendered_max = 60

type Step = Node<{
  name: string
  says: string
  is_start: boolean
  exits: Exit[]
  is_current: boolean
  onOpen: (name: string) => void
}>

interface ScriptMapProps {
  script: Script
  greeting: string
  /** The step that is lit up, and moved into view. */
  current: string | undefined
  onOpen: (name: string) => void
}

/** Shows steps from top to bottom, in as many rows as it takes to reach them. */
export function ScriptMap({ script, greeting, current, onOpen }: ScriptMapProps) {
  const nodes = useMemo(() => layOut(script, greeting, current, onOpen), [script, greeting, current, onOpen])
  const edges = useMemo(() => edgesOf(script), [script])
  return (
    <section className={styles.map} aria-label="Map">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={node_types}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        colorMode={useComputedColorScheme('light')}
        minZoom={0.1}
        proOptions={{ hideAttribution: true }}
        onlyRenderVisibleElements={nodes.length > rendered_max}
      >
        <Background />
        <ShownPart steps={nodes} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  )
}

/**
 * Fits the map to its pane, and moves the current step into view. The step can't do so: out of view it isn't rendered.
 */
function ShownPart({ steps }: { steps: Step[] }) {
  const { setViewport } = useReactFlow()
  const show = useShow()
  const pane_width = useStore((state) => state.width)
  const pane_height = useStore((state) => state.height)
  const names = steps.map(({ id }) => id).join(' ')
  const current = steps.find(({ data }) => data.is_current)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a person has zoomed stays while the words of a step change
  useEffect(() => {
    if (pane_width > 0 && steps.length > 0) void setViewport(fit(steps, pane_width, pane_height))
  }, [names, pane_width, pane_height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another step becomes the current one
  useEffect(() => {
    if (current && pane_width > 0) show(current.position, current.initialHeight)
  }, [current?.id, pane_width, pane_height])
  return null
}

function fit(steps: Step[], pane_width: number, pane_height: number) {
  const left = Math.min(...steps.map(({ position }) => position.x))
  const right = Math.max(...steps.map(({ position }) => position.x + width)) + laneOf(lanes - 1)
  const bottom = Math.max(...steps.map(({ position, initialHeight = 0 }) => position.y + initialHeight))
  const fitting = Math.min((pane_width - 2 * margin) / (right - left), (pane_height - 2 * margin) / bottom)
  const zoom = Math.min(Math.max(fitting, zoom_min), zoom_max)
  const start_x = (steps[0]?.position.x ?? 0) + width / 2
  const center_x = fitting < zoom_min ? start_x : (left + right) / 2
  return { x: pane_width / 2 - center_x * zoom, y: Math.max(margin, (pane_height - bottom * zoom) / 2), zoom }
}

/** Centers a step unless all of it is in view. */
function useShow() {
  const { setCenter } = useReactFlow()
  const store = useStoreApi()
  return ({ x, y }: { x: number; y: number }, height = 0) => {
    const { width: pane_width, height: pane_height, transform } = store.getState()
    const [left, top, zoom] = [x * transform[2] + transform[0], y * transform[2] + transform[1], transform[2]]
    const is_in_view = left >= 0 && top >= 0 && left + width * zoom <= pane_width && top + height * zoom <= pane_height
    if (!is_in_view) void setCenter(x + width / 2, y + height / 2, { zoom })
  }
}

function StepNode({ data, positionAbsoluteX: x, positionAbsoluteY: y }: NodeProps<Step>) {
  const { name, says, is_start, exits, onOpen } = data
  const show = useShow()
  return (
    <div className={styles.mapStep} aria-current={data.is_current ? 'step' : undefined}>
      <Handle type="target" id="in" position={Position.Top} className={styles.handle} />
      <Handle type="target" id="back" position={Position.Right} className={`${styles.handle} ${styles.back}`} />
      <button
        type="button"
        className={styles.mapHead}
        onClick={() => onOpen(name)}
        onFocus={({ currentTarget }) => {
          // The keyboard can reach a step that is out of view.
          if (currentTarget.matches(':focus-visible')) show({ x, y }, heightOf(exits))
        }}
      >
        <strong>
          {name}
          {is_start && ' · Start'}
        </strong>
        <span>{says}</span>
      </button>
      {exits.map(({ why, go }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two exits can be equal
        <div key={index} className={styles.mapExit} title={why}>
          <span>{why}</span>
          {go !== undefined && end_names.has(go) && <em>{targetName(go)}</em>}
          <Handle type="source" position={Position.Right} id={String(index)} className={styles.handle} />
        </div>
      ))}
    </div>
  )
}

const node_types = { step: StepNode }

const heightOf = (exits: Exit[]): number => head_height + exits.length * exit_height

function layOut(script: Script, greeting: string, current: string | undefined, onOpen: (name: string) => void): Step[] {
  let y = 0
  return rowsOf(script).flatMap((names) => {
    const row = names.map((name, index): Step => {
      const node = script.nodes[name] ?? {}
      const exits = exitsOf(node)
      const is_start = name === script.start
      const own = node.say ?? (node.tool === undefined ? '' : `Calls ${node.tool}`)
      const says = is_start && greeting ? `Greeting: “${greeting}”` : own
      return {
        id: name,
        type: 'step',
        // The size is known before the step is rendered, so that its edges can be drawn.
        initialWidth: width,
        initialHeight: heightOf(exits),
        handles: [
          { id: 'in', type: 'target', position: Position.Top, x: width / 2, y: 0 },
          { id: 'back', type: 'target', position: Position.Right, x: width, y: back_y },
          ...exits.map((_, exit) => ({
            id: String(exit),
            type: 'source' as const,
            position: Position.Right,
            x: width,
            y: head_height + (exit + 0.5) * exit_height,
          })),
        ],
        position: { x: (index - (names.length - 1) / 2) * (width + gap_x), y },
        data: { name, says, is_start, exits, is_current: name === current, onOpen },
      }
    })
    y += Math.max(...row.map(({ initialHeight = 0 }) => initialHeight)) + gap_y
    return row
  })
}

/**
 * Groups the names of the steps by their distance from the start. Steps to which nothing leads are in the first row.
 */
function rowsOf(script: Script): string[][] {
  const distances = distancesOf(script)
  const names = new Set([...distances.keys(), ...Object.keys(script.nodes)])
  return [...Map.groupBy(names, (name) => distances.get(name) ?? 0).values()]
}

/** Counts for each step that can be reached how many steps after the start it comes. */
function distancesOf({ start, nodes }: Script): Map<string, number> {
  const distances = new Map(Object.hasOwn(nodes, start) ? [[start, 0]] : [])
  // The loop also reaches names that are added to the map while it runs.
  for (const [name, distance] of distances)
    for (const { go } of exitsOf(nodes[name] ?? {}))
      if (go !== undefined && Object.hasOwn(nodes, go) && !distances.has(go)) distances.set(go, distance + 1)
  return distances
}

/** Arrows to the next row end at the top of a step. Those that return end at its right, so that they don't cross the step. */
function edgesOf(script: Script): BuiltInEdge[] {
  const distances = distancesOf(script)
  const distance = (name: string) => distances.get(name) ?? 0
  return Object.entries(script.nodes).flatMap(([name, node]) =>
    exitsOf(node).flatMap(({ go }, index): BuiltInEdge[] =>
      go !== undefined && Object.hasOwn(script.nodes, go)
        ? [
            {
              id: `${name} ${index}`,
              type: 'smoothstep',
              source: name,
              sourceHandle: String(index),
              target: go,
              targetHandle: distance(go) > distance(name) ? 'in' : 'back',
              pathOptions: { offset: laneOf(index) },
              markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--neutral)' },
            },
          ]
        : [],
    ),
  )
}
