import type { SubscriberMessages } from './messages.ts';

/** Texts for subscribers in Arabic. */
export const ar: SubscriberMessages = {
  confirmSubject: 'هل تريد تلقي تحديثات {page}؟',
  confirmText: 'أدخل شخص ما عنوانك في صفحة الحالة {page} لتلقي رسالة بريد عند الإبلاغ عن شيء فيها.',
  confirmHow: 'افتح الرابط وأكِّد خلال 7 أيام. إذا لم تكن تتوقع هذه الرسالة فلا تفعل شيئًا، ولن تصلك أي رسائل.',
  confirm: 'تأكيد',
  confirmFooter: 'أرسلتها صفحة الحالة {page}: {url}',
  open: 'العرض في صفحة الحالة',
  footer: 'تصلك هذه الرسالة لأنك مشترك في {page}.',
  unsubscribe: 'إلغاء الاشتراك',
  confirmTitle: 'تحديثات {page}',
  confirmQuestion:
    'تصلك رسالة عند الإبلاغ عن عطل أو صيانة في صفحة الحالة أو عند تحديثهما، وعند انتهائهما. في كل رسالة رابط لإلغاء الاشتراك.',
  confirmButton: 'نعم، أرسلوا لي التحديثات',
  confirmedTitle: 'ستصلك التحديثات',
  confirmedText: 'تصل رسائل {page} إلى عنوانك من الآن فصاعدًا. في كل رسالة رابط لإلغاء الاشتراك.',
  unsubscribeTitle: 'هل تريد إيقاف تحديثات {page}؟',
  unsubscribeQuestion: 'إذا تابعت، فلن تصلك رسائل من صفحة الحالة هذه بعد الآن، وسيُحذف عنوانك.',
  unsubscribedTitle: 'أُلغي اشتراكك',
  unsubscribedText: 'لن ترسل {page} إليك أي رسائل أخرى. حُذف عنوانك.',
  expiredTitle: 'انتهت صلاحية هذا الرابط',
  expiredText: 'اشترك مجددًا في صفحة الحالة، وسيصلك رابط آخر.',
  fullTitle: 'عدد المشتركين كبير جدًا',
  fullText: 'بلغت {page} الحد الأقصى لعدد المشتركين. تحتوي خلاصتها على التحديثات نفسها.',
  toPage: 'إلى صفحة الحالة',
  thisPage: 'صفحة الحالة هذه',
};
