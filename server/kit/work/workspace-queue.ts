/** Workspaces that have something to do, each once, in the order in which they were added. */
export class WorkspaceQueue {
  #waiting = new Set<string>()

  add(workspace: string): void {
    this.#waiting.add(workspace)
  }

  get size(): number {
    return this.#waiting.size
  }

  has(workspace: string): boolean {
    return this.#waiting.has(workspace)
  }

  /** Removes and returns the first workspace that is ready. Those that are not ready keep their place. */
  take(isReady: (workspace: string) => boolean): string | undefined {
    for (const workspace of this.#waiting) {
      if (!isReady(workspace)) continue
      this.#waiting.delete(workspace)
      return workspace
    }
    return undefined
  }
}
