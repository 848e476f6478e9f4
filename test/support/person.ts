import { randomBytes } from 'node:crypto';

/** A person, each of whose texts is found nowhere else; `texts` has them by field. */
export function newPerson(who: string) {
  const texts: Record<string, string> = {};
  const text = (field: string): string => {
    const value = `${who}-${randomBytes(9).toString('base64url')}`;
    texts[field] = value;
    return value;
  };
  const address = (name: string) => ({
    line1: text(`${name}.line1`),
    line2: text(`${name}.line2`),
    zipCode: text(`${name}.zipCode`),
    city: text(`${name}.city`),
    state: text(`${name}.state`),
    country: 'BR',
    description: text(`${name}.description`),
  });
  const contact = () => ({
    primaryEmail: text('primaryEmail'),
    secondaryEmail: text('secondaryEmail'),
    mobilePhone: text('mobilePhone'),
    otherPhone: text('otherPhone'),
  });
  const body = {
    type: 'NATURAL_PERSON',
    name: text('name'),
    document: text('document'),
    addresses: { primary: address('primary'), additional1: address('additional1') },
    contact: contact(),
    naturalPerson: {
      favoriteName: text('favoriteName'),
      socialName: text('socialName'),
      gender: text('gender'),
      civilStatus: text('civilStatus'),
      nationality: text('nationality'),
      motherName: text('motherName'),
      fatherName: text('fatherName'),
      status: text('status'),
    },
    legalPerson: {
      tradeName: text('tradeName'),
      activity: text('activity'),
      representative: {
        name: text('representative.name'),
        document: text('representative.document'),
        email: text('representative.email'),
        role: text('representative.role'),
      },
    },
  };
  const name = text('changed name');
  const primaryEmail = text('changed email');
  return { texts, body, changes: { name, contact: { primaryEmail } } };
}
