/** Something went another way than the story says. */
export class NotAsTold extends Error {
  override readonly name = 'NotAsTold';
}
