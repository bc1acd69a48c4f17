/** Sets the entry. When the map is full, removes the entry that was set longest ago. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, size_max: number): void {
  // A map keeps insertion order: deleting the key first makes the first entry the oldest.
  map.delete(key)
  for (const oldest of map.keys()) {
    if (map.size < size_max) break
    map.delete(oldest)
  }
  map.set(key, value)
}
