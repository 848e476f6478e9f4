/** The dependency cannot be reached or does not answer in time; what was asked has not happened. */
export class Unavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unavailable';
  }
}

/** The dependency did not say what became of a write: it may have happened, or still happen. */
export class Ambiguous extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Ambiguous';
  }
}

/** What was written is not there any more, or not as it was written. Not to be tried again: someone must look. */
export class Damaged extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Damaged';
  }
}

/**
 * Derived data is damaged, or says what the log does not confirm: nothing of it can be used, and whoever owns it builds
 * it from the log again.
 */
export class DerivedDamaged extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DerivedDamaged';
  }
}

/** A query took more time than it may; the message says which. */
export class TimeBudgetExceeded extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimeBudgetExceeded';
  }
}
