/** A dependency cannot be reached or did not respond in time; what was requested has not happened. */
export class Unavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Unavailable';
  }
}

/** The outcome of a write is unknown: it may have happened, or may still happen. */
export class Ambiguous extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Ambiguous';
  }
}

/** Stored data is missing or altered. A retry does not help; an operator must look at it. */
export class Damaged extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Damaged';
  }
}

/** Derived data is damaged or contradicts the log. None of it can be used until its owner has rebuilt it from the log. */
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
