import type { DirectorySubject } from './directory.ts';

/** A question of `POST /v1/authorize`; a namespace is a name on the wire. */
export type AuthorizeQuestion = Readonly<{
  /** The token's subject as its client names it: `owner/id` of a user, `admin/product-editor-role` of an application. */
  sub: string;
  resource: string;
  action: string;
  product?: string;
}>;

/** Decides by the groups of users and the products of applications (contract access §11), from memory alone. */
export interface AccessPolicies {
  decide(subject: DirectorySubject, question: AuthorizeQuestion): boolean;
  /** Returns the actions by resource, both sorted, of a namespace or of all. */
  permissionsOf(
    subject: DirectorySubject,
    product?: string,
  ): Readonly<Record<string, readonly string[]>>;
}
