/** The event of a producer's own log: a record that the relay publishes from there, exactly as it was built. */
export type RecordEmitted = Readonly<{ type: 'RecordEmitted'; data: EmittedRecord }>;

export type EmittedRecord = Readonly<{
  topic: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}>;
